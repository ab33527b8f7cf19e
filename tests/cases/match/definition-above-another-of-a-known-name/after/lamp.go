package quay

import "time"

func Switch(id string, at time.Time) error {
	return post(id, at)
}

func All() error {
	return post("all", time.Now())
}
