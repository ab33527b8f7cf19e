resource "quay" "east" {
  region = "east"
  length = 60
}
