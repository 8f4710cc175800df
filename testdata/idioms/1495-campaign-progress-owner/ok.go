package campaign

import (
	"context"
	"sync"
	"time"
)

// Receipt reports the fate of one mail.
type Receipt struct {
	Campaign string
	Bounced  bool
}

// Progress is what the dashboard shows.
type Progress struct {
	Sent, Bounced int
	Rate          float64 // mails per second, smoothed
	Updated       time.Time
}

// board is read by request handlers; only the collector writes to it.
type board struct {
	mu   sync.RWMutex
	rows map[string]Progress
}

func (b *board) get(id string) Progress {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.rows[id]
}

func (b *board) set(id string, p Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows[id] = p
}

// Tracker follows the running campaigns.
type Tracker struct {
	receipts chan Receipt
	board    board
	quit     <-chan struct{}
}

// NewTracker starts the collector, which ends with ctx.
func NewTracker(ctx context.Context) *Tracker {
	t := &Tracker{
		receipts: make(chan Receipt, 256),
		board:    board{rows: make(map[string]Progress)},
		quit:     ctx.Done(),
	}
	go t.collect()
	return t
}

// Report is called by the SMTP workers.
func (t *Tracker) Report(r Receipt) {
	select {
	case t.receipts <- r:
	case <-t.quit:
	}
}

// Progress is called by the dashboard's handlers.
func (t *Tracker) Progress(id string) Progress { return t.board.get(id) }

func (t *Tracker) collect() {
	for {
		select {
		case <-t.quit:
			return
		case r := <-t.receipts:
			t.apply(r, time.Now())
		}
	}
}

func (t *Tracker) apply(r Receipt, now time.Time) {
	p := t.board.get(r.Campaign)
	if r.Bounced {
		p.Bounced++
	} else {
		p.Sent++
	}
	if gap := now.Sub(p.Updated).Seconds(); !p.Updated.IsZero() && gap > 0 {
		p.Rate = 0.9*p.Rate + 0.1/gap
	}
	p.Updated = now
	t.board.set(r.Campaign, p)
}
