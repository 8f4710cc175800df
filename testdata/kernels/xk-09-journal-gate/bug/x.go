// Package bug is a buffered journal that can be shut down under load.
package bug

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

var ErrClosed = errors.New("journal closed")

// gate counts the operations under way and lets one wait for their end.
type gate struct {
	closing atomic.Bool
	active  atomic.Int64
	once    sync.Once
	empty   chan struct{}
}

func (g *gate) enter() bool {
	if g.closing.Load() {
		return false
	}
	g.active.Add(1)
	return true
}

func (g *gate) leave() {
	g.active.Add(-1)
	g.settle()
}

func (g *gate) settle() {
	if g.closing.Load() && g.active.Load() == 0 {
		g.once.Do(func() { close(g.empty) })
	}
}

// drain closes the gate; false when it was closed before.
func (g *gate) drain() bool {
	if !g.closing.CompareAndSwap(false, true) {
		return false
	}
	g.settle()
	<-g.empty
	return true
}

// Journal collects records in memory and writes them in blocks.
type Journal struct {
	gate  gate
	out   io.WriteCloser
	block int

	mu  sync.Mutex
	buf []byte
	err error
}

func New(out io.WriteCloser, block int) *Journal {
	return &Journal{gate: gate{empty: make(chan struct{})}, out: out, block: block}
}

// Append adds a record. A record for which it returns nil is in the output
// once Close has returned nil.
func (j *Journal) Append(rec []byte) error {
	if !j.gate.enter() {
		return ErrClosed
	}
	defer j.gate.leave()

	j.mu.Lock()
	defer j.mu.Unlock()
	j.buf = append(j.buf, rec...)
	j.buf = append(j.buf, '\n')
	if len(j.buf) >= j.block {
		j.flush()
	}
	return j.err
}

// Sync writes what has been collected.
func (j *Journal) Sync() error {
	if !j.gate.enter() {
		return ErrClosed
	}
	defer j.gate.leave()

	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
	return j.err
}

// flush needs the lock.
func (j *Journal) flush() {
	if j.err != nil || len(j.buf) == 0 {
		return
	}
	_, j.err = j.out.Write(j.buf)
	j.buf = j.buf[:0]
}

// Close waits for the operations under way, writes the rest and closes the output.
func (j *Journal) Close() error {
	if !j.gate.drain() {
		return ErrClosed
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
	return errors.Join(j.err, j.out.Close())
}
