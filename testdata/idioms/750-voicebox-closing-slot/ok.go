// Package voicebox records messages into a fixed set of slots of a recorder
// card.
package voicebox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

type state uint8

const (
	free state = iota
	recording
	closing
)

// Errors of the recorder.
var (
	ErrFull      = errors.New("voicebox: no free slot")
	ErrNoMessage = errors.New("voicebox: no such recording")
)

// Card is the hardware.
type Card interface {
	Start(slot int) error
	Finish(slot int) (audio []byte, err error)
}

// Archive stores finished messages.
type Archive interface {
	Store(ctx context.Context, mailbox string, audio []byte) error
}

type slot struct {
	state   state
	call    string
	mailbox string
	since   time.Time
}

// Recorder owns the slots.
type Recorder struct {
	card    Card
	archive Archive
	limit   time.Duration
	log     *slog.Logger

	mu    sync.Mutex
	slots []slot
}

// New returns a recorder with n slots; limit is the longest message.
func New(n int, card Card, archive Archive, limit time.Duration, log *slog.Logger) *Recorder {
	return &Recorder{card: card, archive: archive, limit: limit, log: log, slots: make([]slot, n)}
}

// Record starts a message.
func (r *Recorder) Record(call, mailbox string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.slots {
		s := &r.slots[i]
		if s.state != free {
			continue
		}
		if err := r.card.Start(i); err != nil {
			return fmt.Errorf("slot %d: %w", i, err)
		}
		*s = slot{state: recording, call: call, mailbox: mailbox, since: time.Now()}
		return nil
	}
	return ErrFull
}

// detach finds the slot of a recording and takes it off the call.
func (r *Recorder) detach(match func(slot) bool) (int, string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.slots {
		if s := &r.slots[i]; s.state == recording && match(*s) {
			s.state = closing
			return i, s.mailbox, true
		}
	}
	return 0, "", false
}

func (r *Recorder) vacate(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slots[i] = slot{}
}

// finish stores the message of a slot that was detached.
func (r *Recorder) finish(ctx context.Context, i int, mailbox string) error {
	defer r.vacate(i)
	audio, err := r.card.Finish(i)
	if err != nil {
		return fmt.Errorf("slot %d: %w", i, err)
	}
	if err := r.archive.Store(ctx, mailbox, audio); err != nil {
		return fmt.Errorf("store for %s: %w", mailbox, err)
	}
	return nil
}

// HungUp is called at the end of a call.
func (r *Recorder) HungUp(ctx context.Context, call string) error {
	i, mailbox, ok := r.detach(func(s slot) bool { return s.call == call })
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoMessage, call)
	}
	return r.finish(ctx, i, mailbox)
}

// Run cuts messages that are too long until ctx is done.
func (r *Recorder) Run(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for {
				i, mailbox, ok := r.detach(func(s slot) bool { return now.Sub(s.since) > r.limit })
				if !ok {
					break
				}
				if err := r.finish(ctx, i, mailbox); err != nil {
					r.log.Error("message lost", "mailbox", mailbox, "err", err)
				}
			}
		}
	}
}
