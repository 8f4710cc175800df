package a

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"
)

var (
	ErrClosed  = errors.New("tender: deadline has passed")
	ErrStopped = errors.New("tender: service is shutting down")
	ErrTooHigh = errors.New("tender: bid is above the budget")
)

type Bid struct {
	Bidder string    `json:"bidder"`
	Cents  int64     `json:"cents"`
	At     time.Time `json:"at"`
}

// state belongs to the run loop.
type state struct {
	bids   map[string]Bid
	closed bool
}

// Tender collects sealed bids until its deadline.
type Tender struct {
	budget int64
	ops    chan func(*state)
	done   chan struct{}
}

func Open(ctx context.Context, budget int64, deadline time.Time) *Tender {
	t := &Tender{budget: budget, ops: make(chan func(*state)), done: make(chan struct{})}
	go t.run(ctx, deadline)
	return t
}

func (t *Tender) run(ctx context.Context, deadline time.Time) {
	defer close(t.done)
	st := &state{bids: make(map[string]Bid)}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	for {
		select {
		case op := <-t.ops:
			op(st)
		case <-timer.C:
			st.closed = true
		case <-ctx.Done():
			return
		}
	}
}

// do runs fn in the loop and waits until it has finished.
func (t *Tender) do(fn func(*state)) error {
	ran := make(chan struct{})
	op := func(st *state) {
		defer close(ran)
		fn(st)
	}
	select {
	case t.ops <- op:
		<-ran
		return nil
	case <-t.done:
		return ErrStopped
	}
}

// Submit enters a bid, a bidder may replace the own bid with a lower one.
func (t *Tender) Submit(bidder string, cents int64) error {
	if cents > t.budget {
		return ErrTooHigh
	}
	var result error
	err := t.do(func(st *state) {
		if st.closed {
			result = ErrClosed
			return
		}
		if old, ok := st.bids[bidder]; ok && old.Cents <= cents {
			return
		}
		st.bids[bidder] = Bid{Bidder: bidder, Cents: cents, At: time.Now()}
	})
	if err != nil {
		return err
	}
	return result
}

// Winner returns the lowest bid once the tender is closed.
func (t *Tender) Winner() (best Bid, ok bool, err error) {
	err = t.do(func(st *state) {
		if !st.closed {
			return
		}
		for _, b := range st.bids {
			if !ok || b.Cents < best.Cents || b.Cents == best.Cents && b.At.Before(best.At) {
				best, ok = b, true
			}
		}
	})
	return best, ok, err
}

func (t *Tender) HandleBid(w http.ResponseWriter, r *http.Request) {
	cents, err := strconv.ParseInt(r.FormValue("cents"), 10, 64)
	if err != nil || cents <= 0 {
		http.Error(w, "bad amount", http.StatusBadRequest)
		return
	}
	if err := t.Submit(r.FormValue("bidder"), cents); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}

func (t *Tender) HandleWinner(w http.ResponseWriter, _ *http.Request) {
	b, ok, err := t.Winner()
	if err != nil || !ok {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	_ = json.NewEncoder(w).Encode(b)
}
