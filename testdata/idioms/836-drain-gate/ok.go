// Package engine is a small embedded store whose file is unmapped only when no
// request is using it.
package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"sync/atomic"
)

// ErrClosing is returned for requests that come too late.
var ErrClosing = errors.New("engine: closing")

// ErrRange is returned for a slot that does not exist.
var ErrRange = errors.New("engine: slot out of range")

// Region is the mapped file. Reading it after Unmap crashes the process.
type Region interface {
	Bytes() []byte
	Unmap() error
}

// gate lets requests in until it is shut.
type gate struct {
	inside atomic.Int64
	shut   atomic.Bool
	idle   chan struct{} // has room for one wake-up
}

func newGate() *gate {
	return &gate{idle: make(chan struct{}, 1)}
}

// enter reports whether the caller is let in; if so it must leave.
func (g *gate) enter() bool {
	g.inside.Add(1)
	if g.shut.Load() {
		g.leave()
		return false
	}
	return true
}

func (g *gate) leave() {
	if g.inside.Add(-1) == 0 && g.shut.Load() {
		select {
		case g.idle <- struct{}{}:
		default:
		}
	}
}

// close shuts the gate; it reports false if it was shut before.
func (g *gate) close() bool { return g.shut.CompareAndSwap(false, true) }

// drain waits until everybody who was let in has left. The gate is shut.
func (g *gate) drain(ctx context.Context) error {
	for g.inside.Load() > 0 {
		select {
		case <-g.idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

const slotSize = 8

// Engine serves reads of fixed-size slots. It is safe for concurrent use.
type Engine struct {
	region Region
	gate   *gate
	served atomic.Uint64
}

// Open returns an engine on a mapped file.
func Open(r Region) *Engine {
	return &Engine{region: r, gate: newGate()}
}

// Read returns the number in slot i.
func (e *Engine) Read(i int) (uint64, error) {
	if !e.gate.enter() {
		return 0, ErrClosing
	}
	defer e.gate.leave()
	b := e.region.Bytes()
	if i < 0 || i >= len(b)/slotSize {
		return 0, ErrRange
	}
	e.served.Add(1)
	return binary.LittleEndian.Uint64(b[i*slotSize:]), nil
}

// Sum adds up all slots.
func (e *Engine) Sum() (uint64, error) {
	if !e.gate.enter() {
		return 0, ErrClosing
	}
	defer e.gate.leave()
	var sum uint64
	for b := e.region.Bytes(); len(b) >= slotSize; b = b[slotSize:] {
		sum += binary.LittleEndian.Uint64(b)
	}
	e.served.Add(1)
	return sum, nil
}

// Served returns the number of requests answered.
func (e *Engine) Served() uint64 { return e.served.Load() }

// Close refuses new requests, waits for those under way and unmaps the file.
// If ctx ends first the file stays mapped. Only the first call does anything.
func (e *Engine) Close(ctx context.Context) error {
	if !e.gate.close() {
		return nil
	}
	if err := e.gate.drain(ctx); err != nil {
		return err
	}
	return e.region.Unmap()
}
