//! What JavaScript holds by number.

/// Things by their place; places are used again.
pub(crate) struct Shelf<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }
}

impl<T> Shelf<T> {
    pub(crate) fn put(&mut self, thing: T) -> u32 {
        if let Some(place) = self.free.pop() {
            if let Some(slot) = self.places.get_mut(place as usize) {
                *slot = Some(thing);
                return place;
            }
        }
        self.places.push(Some(thing));
        u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX)
    }

    pub(crate) fn get(&self, place: u32) -> Option<&T> {
        self.places.get(place as usize)?.as_ref()
    }

    pub(crate) fn take(&mut self, place: u32) -> Option<T> {
        let thing = self.places.get_mut(place as usize)?.take()?;
        self.free.push(place);
        Some(thing)
    }

    /// Everything that is held.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.places.iter().flatten()
    }
}
