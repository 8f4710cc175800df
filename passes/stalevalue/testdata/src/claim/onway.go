package claim

import (
	"errors"
	"sync"
)

var errBusy = errors.New("busy")

// A Disk is synced by one at a time, for all who wait.
type Disk struct {
	mu      sync.Mutex
	idle    *sync.Cond
	written int
	synced  int
	syncing bool
	flush   func()
}

func NewDisk(flush func()) *Disk {
	d := &Disk{flush: flush}
	d.idle = sync.NewCond(&d.mu)
	return d
}

func (d *Disk) Write() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.written++
}

// Sync leaves the claim to the callee, which makes it before it gives the lock up.
func (d *Disk) Sync(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.synced < n {
		if d.syncing {
			d.idle.Wait()
			continue
		}
		d.syncLocked()
	}
}

func (d *Disk) syncLocked() {
	d.syncing = true
	target := d.written
	d.mu.Unlock()
	d.flush()
	d.mu.Lock()
	d.syncing = false
	d.synced = target
	d.idle.Broadcast()
}

// Piles are merged by one at a time.
type Piles struct {
	mu      sync.Mutex
	books   []int
	merging bool
}

func (s *Piles) Add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books = append(s.books, n)
}

// begin returns nothing, and claims nothing, if there is nothing to do.
func (s *Piles) begin() ([]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.merging {
		return nil, errBusy
	}
	if len(s.books) < 2 {
		return nil, nil
	}
	s.merging = true
	return append([]int(nil), s.books...), nil
}

func (s *Piles) finish(sum, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books = append([]int{sum}, s.books[n:]...)
	s.merging = false
}

func (s *Piles) Merge() error {
	in, err := s.begin()
	if err != nil || len(in) == 0 {
		return err
	}
	sum := 0
	for _, n := range in {
		sum += n
	}
	s.finish(sum, len(in))
	return nil
}
