//! The calls that JavaScript holds, by number.

use mcpcore_engine::Call;

/// Calls by their place; places are used again.
#[derive(Default)]
pub(crate) struct Shelf {
    places: Vec<Option<Call>>,
    free: Vec<u32>,
}

impl Shelf {
    pub(crate) fn put(&mut self, call: Call) -> u32 {
        if let Some(place) = self.free.pop() {
            if let Some(slot) = self.places.get_mut(place as usize) {
                *slot = Some(call);
                return place;
            }
        }
        self.places.push(Some(call));
        u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX)
    }

    pub(crate) fn get(&self, place: u32) -> Option<&Call> {
        self.places.get(place as usize)?.as_ref()
    }

    pub(crate) fn take(&mut self, place: u32) -> Option<Call> {
        let call = self.places.get_mut(place as usize)?.take()?;
        self.free.push(place);
        Some(call)
    }
}
