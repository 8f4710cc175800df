// Package beacon announces print servers on the network until they are shut
// down.
package beacon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Announcement is what others learn; a TTL of zero withdraws it.
type Announcement struct {
	Service string
	Queues  []string
	TTL     time.Duration
}

// Bus sends announcements.
type Bus interface {
	Announce(ctx context.Context, a Announcement) error
}

// ErrState is returned for a second Start, or a Stop before Start.
var ErrState = errors.New("beacon: wrong state")

// Beacon repeats an announcement.
type Beacon struct {
	bus     Bus
	service string
	period  time.Duration
	log     *slog.Logger

	mu     sync.Mutex
	queues []string
	timer  *time.Timer
	cancel context.CancelFunc
	done   chan struct{}
	sent   int
}

// New returns a beacon that is not started.
func New(bus Bus, service string, period time.Duration, log *slog.Logger) *Beacon {
	return &Beacon{bus: bus, service: service, period: period, log: log}
}

// SetQueues changes what is announced from the next time on.
func (b *Beacon) SetQueues(queues ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queues = append([]string(nil), queues...)
}

// Start begins to announce.
func (b *Beacon) Start() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done != nil {
		return ErrState
	}
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel, b.done, b.timer = cancel, make(chan struct{}), time.NewTimer(0)
	go b.run(ctx, b.done, b.timer.C)
	return nil
}

func (b *Beacon) run(ctx context.Context, done chan<- struct{}, due <-chan time.Time) {
	defer close(done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-due:
		}
		b.rearm(b.announce(ctx))
	}
}

func (b *Beacon) message(ttl time.Duration) Announcement {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Announcement{Service: b.service, Queues: b.queues, TTL: ttl}
}

func (b *Beacon) announce(ctx context.Context) error {
	return b.bus.Announce(ctx, b.message(3*b.period))
}

func (b *Beacon) rearm(err error) {
	next := b.period
	if err != nil {
		b.log.Warn("announce", "service", b.service, "err", err)
		next = b.period / 10
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent++
	b.timer.Reset(next)
}

// Stop ends the announcements and withdraws the service.
func (b *Beacon) Stop(ctx context.Context) error {
	b.mu.Lock()
	if b.cancel == nil {
		b.mu.Unlock()
		return ErrState
	}
	b.cancel()
	b.cancel = nil
	b.timer.Stop()
	done := b.done
	b.mu.Unlock()

	<-done
	b.mu.Lock()
	b.timer.Stop()
	b.mu.Unlock()
	if err := b.bus.Announce(ctx, b.message(0)); err != nil {
		return fmt.Errorf("withdraw %s: %w", b.service, err)
	}
	return nil
}

// Sent returns how many announcements were tried.
func (b *Beacon) Sent() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sent
}
