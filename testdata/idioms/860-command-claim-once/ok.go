// Package downlink sends commands to field devices and matches their answers,
// which come back in any order or not at all.
package downlink

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// ErrTimeout is the result of a command the device did not answer in time.
var ErrTimeout = errors.New("downlink: device did not answer")

// Radio transmits frames to the devices.
type Radio interface {
	Transmit(device string, id uint64, payload []byte) error
}

// result is how a command ended.
type result struct {
	answer []byte
	err    error
}

// command waits for its answer. Apart from what goes through done it is not
// changed once it is registered.
type command struct {
	device   string
	deadline time.Time
	done     chan result // room for the one result
}

// Link is safe for concurrent use.
type Link struct {
	radio Radio
	wait  time.Duration

	lastID   atomic.Uint64
	commands sync.Map // uint64 -> *command

	late atomic.Uint64 // answers nobody waited for
}

// New returns a link whose commands time out after wait. It runs until ctx
// ends.
func New(ctx context.Context, r Radio, wait time.Duration) *Link {
	l := &Link{radio: r, wait: wait}
	go l.expire(ctx)
	return l
}

// Call sends a command and waits for the answer.
func (l *Link) Call(ctx context.Context, device string, payload []byte) ([]byte, error) {
	id := l.lastID.Add(1)
	c := &command{device: device, deadline: time.Now().Add(l.wait), done: make(chan result, 1)}
	l.commands.Store(id, c)
	if err := l.radio.Transmit(device, id, payload); err != nil {
		l.commands.Delete(id)
		return nil, fmt.Errorf("downlink: transmit to %s: %w", device, err)
	}
	select {
	case res := <-c.done:
		return res.answer, res.err
	case <-ctx.Done():
		l.commands.Delete(id)
		return nil, ctx.Err()
	}
}

// lookup returns the command with that id if it was sent to device.
func (l *Link) lookup(device string, id uint64) (*command, bool) {
	v, ok := l.commands.Load(id)
	if !ok {
		return nil, false
	}
	c := v.(*command)
	return c, c.device == device
}

// settle ends the command with res, unless it has ended already.
func (l *Link) settle(id uint64, c *command, res result) bool {
	if !l.commands.CompareAndDelete(id, c) {
		return false
	}
	c.done <- res
	return true
}

// HandleAnswer is called by the receivers, one per antenna. The same answer
// may be heard by several of them.
func (l *Link) HandleAnswer(device string, id uint64, answer []byte) {
	c, ok := l.lookup(device, id)
	if !ok || !l.settle(id, c, result{answer: answer}) {
		l.late.Add(1)
	}
}

// expire ends commands whose time is up.
func (l *Link) expire(ctx context.Context) {
	tick := time.NewTicker(l.wait / 4)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			l.commands.Range(func(k, v any) bool {
				if c := v.(*command); now.After(c.deadline) {
					l.settle(k.(uint64), c, result{err: ErrTimeout})
				}
				return true
			})
		case <-ctx.Done():
			return
		}
	}
}

// Late returns the number of answers that nobody waited for, repeated ones
// included.
func (l *Link) Late() uint64 { return l.late.Load() }
