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

// A Tally is counted by one at a time, but anybody may correct it.
type Tally struct {
	mu       sync.Mutex
	counting bool
	slips    []int
	total    int
}

func (t *Tally) Add(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.slips = append(t.slips, n)
}

func (t *Tally) begin() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counting || len(t.slips) == 0 {
		return nil
	}
	t.counting = true
	slips := t.slips
	t.slips = nil
	return append(slips, t.total)
}

func (t *Tally) end(total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total = total
	t.counting = false
}

func (t *Tally) Count() {
	slips := t.begin()
	if len(slips) == 0 {
		return
	}
	total := 0
	for _, n := range slips {
		total += n
	}
	t.end(total) // want `lost-update: t.total was read at line \d+`
}

// Correct does not ask whether somebody counts.
func (t *Tally) Correct(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += n
}

// A Heap is taken by each who comes: that it is left empty keeps nobody from the total.
type Heap struct {
	mu    sync.Mutex
	slips []int
	total int
}

func (h *Heap) Add(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.slips = append(h.slips, n)
}

func (h *Heap) begin() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.slips) == 0 {
		return nil
	}
	slips := h.slips
	h.slips = nil
	return append(slips, h.total)
}

func (h *Heap) end(total int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.total = total
}

func (h *Heap) Count() {
	slips := h.begin()
	if len(slips) == 0 {
		return
	}
	total := 0
	for _, n := range slips {
		total += n
	}
	h.end(total) // want `lost-update: h.total was read at line \d+`
}

// A Pass is fetched anew when it has run out; that it is being fetched is cleared, and never noted.
type Pass struct {
	mu       sync.Mutex
	fetching bool
	until    int
	now      func() int
	fetch    func() int
}

func (p *Pass) Get() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.until < p.now() && !p.fetching {
		p.fetchLocked() // want `check-then-act: p.until was checked at line \d+`
	}
	return p.until
}

func (p *Pass) fetchLocked() {
	p.mu.Unlock()
	until := p.fetch()
	p.mu.Lock()
	p.fetching = false
	p.until = until
}
