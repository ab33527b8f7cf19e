resource "quay" "east" {
  region = "east"
  length = 40
}
