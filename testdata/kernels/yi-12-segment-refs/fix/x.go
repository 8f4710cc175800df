// Package vlog stores values in segments that live in a shared arena.
package vlog

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrNoSegment = errors.New("vlog: segment is gone")
	ErrFull      = errors.New("vlog: segment or arena is full")
	ErrBounds    = errors.New("vlog: pointer out of bounds")
)

// arena hands out slots of equal size.
type arena struct {
	mu    sync.RWMutex
	slots [][]byte
	free  []int
}

func newArena(n, size int) *arena {
	a := &arena{slots: make([][]byte, n)}
	for i := range a.slots {
		a.slots[i] = make([]byte, 0, size)
		a.free = append(a.free, i)
	}
	return a
}

func (a *arena) alloc() (int, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.free) == 0 {
		return 0, false
	}
	i := a.free[len(a.free)-1]
	a.free = a.free[:len(a.free)-1]
	a.slots[i] = a.slots[i][:0]
	return i, true
}

func (a *arena) put(i int) {
	a.mu.Lock()
	a.free = append(a.free, i)
	a.mu.Unlock()
}

func (a *arena) append(i int, p []byte) (int, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.slots[i]
	if len(s)+len(p) > cap(s) {
		return 0, false
	}
	a.slots[i] = append(s, p...)
	return len(s), true
}

func (a *arena) read(i, off, n int) ([]byte, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	s := a.slots[i]
	if off < 0 || n < 0 || off+n > len(s) {
		return nil, false
	}
	return append([]byte(nil), s[off:off+n]...), true
}

// segment is a slot with a reference count. The map of the Log has one
// reference, every running operation has another.
type segment struct {
	arena *arena
	slot  int
	refs  atomic.Int32
}

func (s *segment) retain() { s.refs.Add(1) }

func (s *segment) release() {
	if s.refs.Add(-1) == 0 {
		s.arena.put(s.slot)
	}
}

// Pointer says where a value is.
type Pointer struct {
	Segment  uint32
	Off, Len int
}

// Log is the value log.
type Log struct {
	arena *arena

	mu   sync.RWMutex
	next uint32
	segs map[uint32]*segment
}

// New returns a log with room for n segments of size bytes.
func New(n, size int) *Log {
	return &Log{arena: newArena(n, size), segs: make(map[uint32]*segment)}
}

// NewSegment opens a segment for writing.
func (l *Log) NewSegment() (uint32, error) {
	slot, ok := l.arena.alloc()
	if !ok {
		return 0, ErrFull
	}
	s := &segment{arena: l.arena, slot: slot}
	s.retain()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	l.segs[l.next] = s
	return l.next, nil
}

// segment finds a segment and retains it for the caller.
func (l *Log) segment(id uint32) (*segment, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	s, ok := l.segs[id]
	if !ok {
		return nil, ErrNoSegment
	}
	s.retain()
	return s, nil
}

// Write appends a value to a segment.
func (l *Log) Write(id uint32, p []byte) (Pointer, error) {
	s, err := l.segment(id)
	if err != nil {
		return Pointer{}, err
	}
	defer s.release()
	off, ok := l.arena.append(s.slot, p)
	if !ok {
		return Pointer{}, ErrFull
	}
	return Pointer{Segment: id, Off: off, Len: len(p)}, nil
}

// Read returns a copy of a value.
func (l *Log) Read(p Pointer) ([]byte, error) {
	s, err := l.segment(p.Segment)
	if err != nil {
		return nil, err
	}
	defer s.release()
	v, ok := l.arena.read(s.slot, p.Off, p.Len)
	if !ok {
		return nil, ErrBounds
	}
	return v, nil
}

// Drop removes a segment whose live values were moved. Its slot is used again
// when the last reader is done.
func (l *Log) Drop(id uint32) error {
	l.mu.Lock()
	s, ok := l.segs[id]
	delete(l.segs, id)
	l.mu.Unlock()
	if !ok {
		return ErrNoSegment
	}
	s.release()
	return nil
}

// Collect drops the given segments in the background.
func (l *Log) Collect(ids []uint32) <-chan int {
	done := make(chan int, 1)
	go func() {
		n := 0
		for _, id := range ids {
			if l.Drop(id) == nil {
				n++
			}
		}
		done <- n
	}()
	return done
}
