package a

import (
	"context"
	"errors"
	"slices"
	"sync"
)

var ErrLagging = errors.New("doc: reader too slow, join again")

type Op struct {
	Rev  int64
	Line int
	Text string
}

type Snapshot struct {
	Rev   int64
	Lines []string
}

type Doc struct {
	mu    sync.RWMutex
	rev   int64
	lines []string
	feeds map[chan Op]struct{}
}

func NewDoc(lines []string) *Doc {
	return &Doc{lines: slices.Clone(lines), feeds: make(map[chan Op]struct{})}
}

func (d *Doc) Snapshot() Snapshot {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return Snapshot{Rev: d.rev, Lines: slices.Clone(d.lines)}
}

func (d *Doc) subscribe() chan Op {
	ch := make(chan Op, 128)
	d.mu.Lock()
	d.feeds[ch] = struct{}{}
	d.mu.Unlock()
	return ch
}

func (d *Doc) unsubscribe(ch chan Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.feeds[ch]; ok {
		delete(d.feeds, ch)
		close(ch)
	}
}

// SetLine replaces a line, or appends one past the end.
func (d *Doc) SetLine(line int, text string) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if line < 0 || line >= len(d.lines) {
		line = len(d.lines)
		d.lines = append(d.lines, "")
	}
	d.lines[line] = text
	d.rev++
	op := Op{Rev: d.rev, Line: line, Text: text}
	for ch := range d.feeds {
		select {
		case ch <- op:
		default:
			delete(d.feeds, ch)
			close(ch)
		}
	}
	return d.rev
}

type Peer interface {
	Init(Snapshot) error
	Send(Op) error
}

// Serve keeps a peer up to date until it goes away.
func (d *Doc) Serve(ctx context.Context, p Peer) error {
	ops := d.subscribe()
	defer d.unsubscribe(ops)

	snap := d.Snapshot()
	if err := p.Init(snap); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case op, ok := <-ops:
			if !ok {
				return ErrLagging
			}
			if op.Rev <= snap.Rev {
				continue
			}
			if err := p.Send(op); err != nil {
				return err
			}
		}
	}
}
