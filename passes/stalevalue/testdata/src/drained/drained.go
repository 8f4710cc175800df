// Package drained has lists and counters that are read, used and emptied.
package drained

import (
	"sync"
	"sync/atomic"
)

type sender interface{ Send([]string) }

// An Outbox collects what is to be sent.
type Outbox struct {
	mu      sync.Mutex
	pending []string
	sent    atomic.Int64
	out     sender
	report  func(int64)
}

func (o *Outbox) Add(s string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending = append(o.pending, s)
	o.sent.Add(1)
}

func (o *Outbox) items() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.pending...)
}

func (o *Outbox) reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending = nil
}

// Flush removes what was added while it was sending.
func (o *Outbox) Flush() {
	o.out.Send(o.items())
	o.reset() // want `lost-update: o\.pending was read at line \d+`
}

// FlushSome does so only if there is something.
func (o *Outbox) FlushSome() {
	batch := o.items()
	if len(batch) == 0 {
		return
	}
	o.out.Send(batch)
	o.reset() // want `lost-update: o\.pending was read at line \d+`
}

// DropSome asks whether there is something, and uses nothing of it.
func (o *Outbox) DropSome() {
	if len(o.items()) == 0 {
		return
	}
	o.reset()
}

// FlushInline does the same without helpers.
func (o *Outbox) FlushInline() {
	o.mu.Lock()
	batch := append([]string(nil), o.pending...)
	o.mu.Unlock()
	o.out.Send(batch)
	o.mu.Lock()
	o.pending = nil // want `lost-update: o\.pending was read at line \d+`
	o.mu.Unlock()
}

// Swap takes it out in one section.
func (o *Outbox) Swap() {
	o.mu.Lock()
	batch := o.pending
	o.pending = nil
	o.mu.Unlock()
	o.out.Send(batch)
}

// Count loses what was counted after the load.
func (o *Outbox) Count() {
	o.report(o.sent.Load())
	o.sent.Store(0) // want `lost-update: o\.sent was read at line \d+`
}

// CountOnce swaps it.
func (o *Outbox) CountOnce() { o.report(o.sent.Swap(0)) }

// A Board has a state that others only clear, too.
type Board struct {
	mu   sync.Mutex
	note *string
	show func(*string)
}

func NewBoard(s string) *Board { return &Board{note: &s} }

// Clear shows the note and clears it.
func (b *Board) Clear() {
	b.mu.Lock()
	note := b.note
	b.mu.Unlock()
	b.show(note)
	b.mu.Lock()
	b.note = nil
	b.mu.Unlock()
}

// A Hub is closed once.
type Hub struct {
	mu     sync.Mutex
	closed bool
	conns  []*string
	end    func([]*string)
}

func (h *Hub) Join(c *string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.conns = append(h.conns, c)
}

// Close empties what nobody adds to any more.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	conns := append([]*string(nil), h.conns...)
	h.mu.Unlock()
	h.end(conns)
	h.mu.Lock()
	h.conns = nil
	h.mu.Unlock()
}

// Refresh ends those that have joined.
func (h *Hub) Refresh() {
	h.mu.Lock()
	conns := append([]*string(nil), h.conns...)
	h.mu.Unlock()
	h.end(conns)
	h.mu.Lock()
	h.conns = nil // want `lost-update: h\.conns was read at line \d+`
	h.mu.Unlock()
}

// A Tally is pushed by one goroutine at a time, and added to by any.
type Tally struct {
	pushing sync.Mutex
	mu      sync.Mutex
	counts  map[string]int
}

func (t *Tally) Add(key string) {
	t.mu.Lock()
	t.counts[key]++
	t.mu.Unlock()
}

// Push clears what was added while it was sending: the lock that it holds throughout keeps only other pushes away.
func (t *Tally) Push(send func(map[string]int)) {
	t.pushing.Lock()
	defer t.pushing.Unlock()
	sent := t.copied()
	if len(sent) == 0 {
		return
	}
	send(sent)
	t.reset() // want `lost-update: t\.counts was read at line \d+`
}

func (t *Tally) copied() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make(map[string]int, len(t.counts))
	for k, n := range t.counts {
		out[k] = n
	}
	return out
}

func (t *Tally) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.counts)
}

// PushOwn takes what it sends.
func (t *Tally) PushOwn(send func(map[string]int)) {
	t.pushing.Lock()
	defer t.pushing.Unlock()
	send(t.take())
}

func (t *Tally) take() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.counts
	t.counts = make(map[string]int)
	return out
}

// A Mailer bounds what waits to be sent.
type Mailer struct {
	mu      sync.Mutex
	letters []string
	pending int
}

func NewMailer(out sender) *Mailer {
	m := &Mailer{}
	go m.run(out)
	go m.runOwn(out)
	return m
}

// Post reports whether there is room.
func (m *Mailer) Post(s string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pending+len(s) > 1000 {
		return false
	}
	m.letters = append(m.letters, s)
	m.pending += len(s)
	return true
}

func (m *Mailer) take() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	letters := m.letters
	m.letters = nil
	return letters
}

// run forgets what was posted while it was sending.
func (m *Mailer) run(out sender) {
	for {
		letters := m.take()
		if letters == nil {
			return
		}
		out.Send(letters)
		m.reset() // want `lost-update: m\.letters was read at line \d+`
	}
}

func (m *Mailer) reset() {
	m.mu.Lock()
	m.pending = 0
	m.mu.Unlock()
}

// runOwn takes off what it has sent.
func (m *Mailer) runOwn(out sender) {
	for {
		letters := m.take()
		if letters == nil {
			return
		}
		out.Send(letters)
		n := 0
		for _, s := range letters {
			n += len(s)
		}
		m.mu.Lock()
		m.pending -= n
		m.mu.Unlock()
	}
}

// A Depot ships what comes first.
type Depot struct {
	mu    sync.Mutex
	boxes []string
}

func NewDepot(out sender) *Depot {
	d := &Depot{}
	go d.Ship(out)
	go d.Ship(out)
	return d
}

func (d *Depot) Add(box string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.boxes = append(d.boxes, box)
}

func (d *Depot) first() (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.boxes) == 0 {
		return "", false
	}
	return d.boxes[0], true
}

func (d *Depot) drop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.boxes) > 0 {
		d.boxes = d.boxes[1:]
	}
}

// Ship may drop what another goroutine has not shipped.
func (d *Depot) Ship(out sender) {
	for {
		box, ok := d.first()
		if !ok {
			return
		}
		out.Send([]string{box})
		d.drop() // want `lost-update: d\.boxes\[0\] was read at line \d+, but d\.mu was released when first returned and another goroutine may remove it before this call of drop, which removes the first element, whatever that is then`
	}
}

// ShipSame drops what it has shipped.
func (d *Depot) ShipSame(out sender) {
	box, ok := d.first()
	if !ok {
		return
	}
	out.Send([]string{box})
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.boxes) > 0 && d.boxes[0] == box {
		d.boxes = d.boxes[1:]
	}
}

// ShipThat tells which one it has shipped.
func (d *Depot) ShipThat(out sender) {
	box, ok := d.first()
	if !ok {
		return
	}
	out.Send([]string{box})
	d.dropIf(box)
}

func (d *Depot) dropIf(box string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.boxes) > 0 && d.boxes[0] == box {
		d.boxes = d.boxes[1:]
	}
}

// A Siding is emptied by one goroutine.
type Siding struct {
	mu   sync.Mutex
	cars []string
}

func NewSiding(out sender) *Siding {
	s := &Siding{}
	go s.run(out)
	return s
}

func (s *Siding) Add(car string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cars = append(s.cars, car)
}

// run is alone: others only add at the end.
func (s *Siding) run(out sender) {
	for {
		s.mu.Lock()
		if len(s.cars) == 0 {
			s.mu.Unlock()
			return
		}
		car := s.cars[0]
		s.mu.Unlock()
		out.Send([]string{car})
		s.mu.Lock()
		s.cars = s.cars[1:]
		s.mu.Unlock()
	}
}
