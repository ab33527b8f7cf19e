use std::fs;

pub(crate) fn unpack(path) -> String {
    fs::read_to_string(path).unwrap()
}
