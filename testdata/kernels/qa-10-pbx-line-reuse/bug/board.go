// Package board models the line card of a telephone exchange: a fixed number
// of lines that calls are put on.
package board

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Errors of the board.
var (
	ErrNoLine = errors.New("board: all lines busy")
	ErrNoCall = errors.New("board: no such call")
)

// Cause is a release cause of Q.850.
type Cause uint8

const (
	CauseNormal       Cause = 16
	CauseCallRejected Cause = 21
)

// Port drives the hardware of a line.
type Port interface {
	Disconnect(line int, cause Cause) error
}

// Policy decides what operators may do.
type Policy interface {
	MayDisconnect(ctx context.Context, operator, tenant string) error
}

// CDR is the record that is billed.
type CDR struct {
	CallID   string
	Tenant   string
	Duration time.Duration
	Cause    Cause
}

type line struct {
	busy   bool
	callID string
	tenant string
	since  time.Time
}

// Board is a line card.
type Board struct {
	port   Port
	policy Policy
	cdrs   chan<- CDR
	log    *slog.Logger

	mu     sync.Mutex
	lines  []line
	free   []int
	byCall map[string]int
}

// New returns a board with n free lines.
func New(n int, port Port, policy Policy, cdrs chan<- CDR, log *slog.Logger) *Board {
	b := &Board{port: port, policy: policy, cdrs: cdrs, log: log,
		lines: make([]line, n), byCall: make(map[string]int, n)}
	for i := n - 1; i >= 0; i-- {
		b.free = append(b.free, i)
	}
	return b
}

// Seize puts a call on a free line.
func (b *Board) Seize(callID, tenant string) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.free) == 0 {
		return 0, ErrNoLine
	}
	n := b.free[len(b.free)-1]
	b.free = b.free[:len(b.free)-1]
	b.lines[n] = line{busy: true, callID: callID, tenant: tenant, since: time.Now()}
	b.byCall[callID] = n
	return n, nil
}

// lookup finds the line of a call and the tenant that pays.
func (b *Board) lookup(callID string) (int, string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, ok := b.byCall[callID]
	if !ok {
		return 0, "", false
	}
	return n, b.lines[n].tenant, true
}

// vacate frees a line and returns the record of the call; b.mu is held.
func (b *Board) vacate(n int, cause Cause) CDR {
	l := b.lines[n]
	delete(b.byCall, l.callID)
	b.lines[n] = line{}
	b.free = append(b.free, n)
	return CDR{CallID: l.callID, Tenant: l.tenant, Duration: time.Since(l.since), Cause: cause}
}

// RemoteRelease is called by the signalling stack when a party hung up.
func (b *Board) RemoteRelease(callID string, cause Cause) error {
	b.mu.Lock()
	n, ok := b.byCall[callID]
	if !ok {
		b.mu.Unlock()
		return fmt.Errorf("%w: %s", ErrNoCall, callID)
	}
	cdr := b.vacate(n, cause)
	b.mu.Unlock()
	b.cdrs <- cdr
	return nil
}

// Disconnect ends a call on behalf of an operator.
func (b *Board) Disconnect(ctx context.Context, operator, callID string) error {
	n, tenant, ok := b.lookup(callID)
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoCall, callID)
	}
	if err := b.policy.MayDisconnect(ctx, operator, tenant); err != nil {
		return fmt.Errorf("operator %s: %w", operator, err)
	}
	cdr, err := b.hangup(n, callID)
	if err != nil {
		return err
	}
	b.log.Info("call disconnected", "call", callID, "operator", operator, "line", n)
	b.cdrs <- cdr
	return nil
}

func (b *Board) hangup(n int, callID string) (CDR, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.lines[n].busy {
		return CDR{}, fmt.Errorf("%w: %s", ErrNoCall, callID)
	}
	if err := b.port.Disconnect(n, CauseCallRejected); err != nil {
		return CDR{}, fmt.Errorf("line %d: %w", n, err)
	}
	return b.vacate(n, CauseCallRejected), nil
}

// Busy returns the number of lines in use.
func (b *Board) Busy() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.byCall)
}
