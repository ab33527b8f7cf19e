/// ## What it is
/// A place for one boat.
///
/// ```text
/// quay | boat | quay
/// ```
///
/// Use instead:
/// ```text
/// quay | boat | boat | quay
/// ```
fn berth(boats: &[Boat], length: u32) -> Option<u32> {
    let free = boats.iter().map(|boat| boat.length).sum::<u32>();
    // There is room, but the harbour master
    // has to be asked, who may be asleep.
    let left = length.checked_sub(free)?;
    Some(left)
}
