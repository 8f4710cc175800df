// Package invoice numbers invoices without gaps.
package invoice

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
)

// ErrStopped is returned when the numbering goroutine is gone.
var ErrStopped = errors.New("invoice: numbering stopped")

// Journal survives a crash.
type Journal interface {
	Append(tenant string, no int64) error
	Replay(fn func(tenant string, no int64)) error
}

type request struct {
	tenant string
	reply  chan<- answer
}

type answer struct {
	no  int64
	err error
}

// Numbers hands out numbers.
type Numbers struct {
	journal  Journal
	requests chan request
	stopped  chan struct{}

	mu   sync.RWMutex
	last map[string]int64

	fmtMu   sync.RWMutex
	formats map[string]string
}

// Open replays the journal and starts the numbering.
func Open(ctx context.Context, j Journal) (*Numbers, error) {
	n := &Numbers{
		journal:  j,
		requests: make(chan request),
		stopped:  make(chan struct{}),
		last:     make(map[string]int64),
		formats:  make(map[string]string),
	}
	err := j.Replay(func(tenant string, no int64) { n.last[tenant] = max(n.last[tenant], no) })
	if err != nil {
		return nil, fmt.Errorf("invoice: replay: %w", err)
	}
	go n.loop(ctx)
	return n, nil
}

func (n *Numbers) loop(ctx context.Context) {
	defer close(n.stopped)
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-n.requests:
			no, err := n.advance(r.tenant)
			r.reply <- answer{no, err}
		}
	}
}

// advance runs in the numbering goroutine.
func (n *Numbers) advance(tenant string) (int64, error) {
	no := n.Last(tenant) + 1
	if err := n.journal.Append(tenant, no); err != nil {
		return 0, fmt.Errorf("invoice: journal: %w", err)
	}
	n.setLast(tenant, no)
	return no, nil
}

func (n *Numbers) setLast(tenant string, no int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last[tenant] = no
}

// Last returns the last number of a tenant.
func (n *Numbers) Last(tenant string) int64 {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.last[tenant]
}

// All returns the last number of every tenant.
func (n *Numbers) All() map[string]int64 {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return maps.Clone(n.last)
}

// SetFormat sets how numbers of a tenant look; a tenant keeps its first format.
func (n *Numbers) SetFormat(tenant, format string) bool {
	if n.format(tenant) != "" {
		return false
	}
	n.fmtMu.Lock()
	defer n.fmtMu.Unlock()
	if n.formats[tenant] != "" {
		return false
	}
	n.formats[tenant] = format
	return true
}

func (n *Numbers) format(tenant string) string {
	n.fmtMu.RLock()
	defer n.fmtMu.RUnlock()
	return n.formats[tenant]
}

// Next returns the next number of a tenant.
func (n *Numbers) Next(ctx context.Context, tenant string) (string, error) {
	reply := make(chan answer, 1)
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-n.stopped:
		return "", ErrStopped
	case n.requests <- request{tenant, reply}:
	}
	a := <-reply
	if a.err != nil {
		return "", a.err
	}
	f := n.format(tenant)
	if f == "" {
		f = "%s-%06d"
	}
	return fmt.Sprintf(f, tenant, a.no), nil
}
