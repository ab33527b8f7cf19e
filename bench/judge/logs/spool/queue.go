package queue

import (
	"errors"
	"sync"
)

// ErrFull is returned when a queue holds as many items as it may.
var ErrFull = errors.New("queue: full")

// Queue is a bounded queue for several goroutines.
type Queue struct {
	mu    sync.Mutex
	items []string
	limit int
}

// New makes an empty queue.
func New(limit int) *Queue {
	return &Queue{limit: limit}
}

// Push adds an item at the end.
func (q *Queue) Push(item string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) >= q.limit {
		return ErrFull
	}
	q.items = append(q.items, item)
	return nil
}

// Pop takes the first item.
func (q *Queue) Pop() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return "", false
	}
	item := q.items[0]
	q.items = q.items[1:]
	return item, true
}
