package precise

import (
	"errors"
	"sync"
)

var errFull = errors.New("full")

// A Quota counts what is reserved as if it were used.
type Quota struct {
	mu       sync.Mutex
	used     int64
	reserved int64
	limit    int64
}

// Put reserves n, and uses it afterwards.
func (q *Quota) Put(n int64, write func() error) error {
	q.mu.Lock()
	if q.used+q.reserved+n > q.limit {
		q.mu.Unlock()
		return errFull
	}
	q.reserved += n
	q.mu.Unlock()
	err := write()
	q.mu.Lock()
	q.reserved -= n
	if err == nil {
		q.used += n
	}
	q.mu.Unlock()
	return err
}

// A Ration gives the reservation up before it is used.
type Ration struct {
	mu       sync.Mutex
	used     int64
	reserved int64
	limit    int64
}

// Put lets others in between.
func (r *Ration) Put(n int64, write func()) error {
	r.mu.Lock()
	if r.used+r.reserved+n > r.limit {
		r.mu.Unlock()
		return errFull
	}
	r.reserved += n
	r.mu.Unlock()
	write()
	r.mu.Lock()
	r.reserved -= n
	r.mu.Unlock()
	r.mu.Lock()
	r.used += n // want `r.used was checked`
	r.mu.Unlock()
	return nil
}

// A Share is not asked for what others have reserved.
type Share struct {
	mu       sync.Mutex
	used     int64
	reserved int64
	limit    int64
}

// Put reserves what nobody looks at.
func (s *Share) Put(n int64, write func()) error {
	s.mu.Lock()
	if s.used+n > s.limit {
		s.mu.Unlock()
		return errFull
	}
	s.reserved += n
	s.mu.Unlock()
	write()
	s.mu.Lock()
	s.reserved -= n
	s.used += n // want `s.used was checked`
	s.mu.Unlock()
	return nil
}
