//! Addresses of both kinds.

use crate::stage::{access, call, Client, Stage};
use mcpcore::http::{HttpListener, ListenerConfig};
use mcpcore::ErrorKind;
use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

/// A path for a socket, in a folder that is removed afterwards.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("mcpcore-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.join("s")
    }

    fn address(&self) -> String {
        format!("unix:{}", self.path().display())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn sockets_one_listener_may_have_several() {
    let place = Place::new("several");
    let stage = Stage::with(|_, listen| {
        listen.addresses = vec![place.address(), "127.0.0.1:0".to_owned(), "127.0.0.2:0".to_owned()];
    });
    assert_eq!(stage.listener.addresses().len(), 3);
    assert_eq!(stage.listener.addresses()[1], format!("127.0.0.1:{}", stage.listener.port().unwrap()));
    assert_eq!(stage.connect().ask(call("echo", "{}")).status, 200);
    assert_eq!(Client::unix(&place.path()).ask(call("echo", "{}")).status, 200);
}

#[test]
fn sockets_the_user_of_a_unix_socket_may_be_the_principal() {
    let place = Place::new("user");
    let stage = Stage::with(|http, listen| {
        http.unix_principal = true;
        listen.addresses = vec![place.address()];
    });
    assert_eq!(stage.listener.port(), None);
    let uid = std::fs::metadata("/proc/self").unwrap().uid();
    let answer = Client::unix(&place.path()).ask(call("whoami", "{}"));
    assert!(answer.body.contains(&format!("\"uid:{uid}\"")), "{}", answer.body);
}

#[test]
fn sockets_the_file_is_removed_at_the_end() {
    let place = Place::new("file");
    let stage = Stage::with(|_, listen| listen.addresses = vec![place.address()]);
    assert!(place.path().exists());
    drop(stage);
    assert!(!place.path().exists());
}

#[test]
fn sockets_a_file_that_nobody_serves_is_replaced() {
    let place = Place::new("stale");
    drop(UnixListener::bind(place.path()).unwrap());
    assert!(place.path().exists());
    let _stage = Stage::with(|_, listen| listen.addresses = vec![place.address()]);
    assert_eq!(Client::unix(&place.path()).ask(call("echo", "{}")).status, 200);
}

#[test]
fn sockets_a_file_that_is_in_use_is_left_alone() {
    let place = Place::new("used");
    let stage = Stage::with(|_, listen| listen.addresses = vec![place.address()]);
    let second =
        HttpListener::bind(&stage.server, access(), &ListenerConfig::new(place.address())).unwrap_err();
    assert_eq!(second.kind(), ErrorKind::Io);
    assert!(second.message().contains("listens there already"), "{second}");
    assert_eq!(Client::unix(&place.path()).ask(call("echo", "{}")).status, 200);
    // So is one that is no socket.
    let file = place.0.join("f");
    std::fs::write(&file, "text").unwrap();
    let config = ListenerConfig::new(format!("unix:{}", file.display()));
    assert_eq!(HttpListener::bind(&stage.server, access(), &config).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "text");
}

#[test]
fn sockets_another_file_in_its_place_is_not_removed() {
    let place = Place::new("other");
    let stage = Stage::with(|_, listen| listen.addresses = vec![place.address()]);
    std::fs::remove_file(place.path()).unwrap();
    let _other = UnixListener::bind(place.path()).unwrap();
    drop(stage);
    assert!(place.path().exists());
}

#[test]
fn sockets_a_port_in_use_is_told() {
    let stage = Stage::new();
    let config = ListenerConfig::new(stage.listener.addresses()[0].clone());
    let error = HttpListener::bind(&stage.server, access(), &config).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.message().contains(&config.addresses[0]), "{error}");
}

#[test]
fn sockets_every_fault_of_the_configuration_is_told() {
    let stage = Stage::new();
    let mut config = ListenerConfig::new("localhost:4000");
    config.addresses.extend(["unix:relative", ":80", "127.0.0.1"].map(str::to_owned));
    config.threads = 0;
    config.max_connections = 0;
    let mut http = access();
    http.origins = None;
    let error = HttpListener::bind(&stage.server, http, &config).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    for part in
        ["localhost:4000", "relative", "\":80\"", "\"127.0.0.1\"", "threads", "max_connections", "origins"]
    {
        assert!(error.message().lines().any(|line| line.contains(part)), "{part}: {error}");
    }
    config.addresses.clear();
    let error = HttpListener::bind(&stage.server, access(), &config).unwrap_err();
    assert!(error.message().contains("addresses: "), "{error}");
}

#[test]
fn sockets_connections_are_handed_round() {
    let stage = Stage::with(|_, listen| listen.threads = 3);
    let mut clients: Vec<Client> = (0..9).map(|_| stage.connect()).collect();
    let mut threads = HashSet::new();
    for client in &mut clients {
        client.send(call("wait", "{}"));
        let waiting = stage.call();
        waiting.complete_text("done").unwrap();
        assert!(client.answer().body.contains("done"));
    }
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let name = std::fs::read_to_string(task.unwrap().path().join("comm")).unwrap_or_default();
        threads.insert(name.trim().to_owned());
    }
    assert!(threads.contains("mcpcore-http"), "{threads:?}");
}
