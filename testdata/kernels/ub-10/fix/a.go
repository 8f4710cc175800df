package a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Event is one delivery of the payment provider. The provider repeats a
// delivery, possibly at once, until it has been acknowledged.
type Event struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Amount int64  `json:"amount"`
}

// Apply carries out the effect of an event.
type Apply func(ctx context.Context, ev Event) error

var (
	errDuplicate = errors.New("webhook: event is known")
	errUnderWay  = errors.New("webhook: event is being applied")
)

type receipt struct {
	at      time.Time
	applied atomic.Bool
}

// verdict tells what a further delivery of the same event gets.
func (r *receipt) verdict() error {
	if r.applied.Load() {
		return errDuplicate
	}
	return errUnderWay
}

// Receiver takes the provider's deliveries and applies each event once.
type Receiver struct {
	apply Apply
	keep  time.Duration
	seen  sync.Map // event ID -> *receipt
}

// NewReceiver remembers event IDs for the given time.
func NewReceiver(apply Apply, keep time.Duration) *Receiver {
	return &Receiver{apply: apply, keep: keep}
}

func (rc *Receiver) accept(ctx context.Context, ev Event) error {
	if ev.ID == "" {
		return errors.New("webhook: event without ID")
	}
	r := &receipt{at: time.Now()}
	if known, ok := rc.seen.LoadOrStore(ev.ID, r); ok {
		return known.(*receipt).verdict()
	}
	if err := rc.apply(ctx, ev); err != nil {
		// let the provider deliver it again
		rc.seen.CompareAndDelete(ev.ID, r)
		return fmt.Errorf("event %s: %w", ev.ID, err)
	}
	r.applied.Store(true)
	return nil
}

// ServeHTTP is the endpoint that is registered with the provider.
func (rc *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var ev Event
	if err := json.NewDecoder(r.Body).Decode(&ev); err != nil {
		http.Error(w, "malformed event", http.StatusBadRequest)
		return
	}
	switch err := rc.accept(r.Context(), ev); {
	case err == nil, errors.Is(err, errDuplicate):
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, errUnderWay):
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// Prune forgets the events that are older than the retention time.
func (rc *Receiver) Prune(now time.Time) int {
	n := 0
	rc.seen.Range(func(id, v any) bool {
		r := v.(*receipt)
		if r.applied.Load() && now.Sub(r.at) > rc.keep && rc.seen.CompareAndDelete(id, v) {
			n++
		}
		return true
	})
	return n
}
