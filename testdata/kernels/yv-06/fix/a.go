package a

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

type Parcel struct {
	Seq     uint64
	Number  string
	Carrier string
	Status  string
	Checked time.Time
}

// Board holds the parcels still under way, oldest first.
type Board struct {
	mu     sync.RWMutex
	seq    uint64
	active []*Parcel
}

func (b *Board) Track(carrier, number string) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	b.active = append(b.active, &Parcel{Seq: b.seq, Number: number, Carrier: carrier})
	return b.seq
}

func (b *Board) find(number string) int {
	return slices.IndexFunc(b.active, func(p *Parcel) bool { return p.Number == number })
}

func (b *Board) SetStatus(number, status string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.find(number)
	if i < 0 || b.active[i].Checked.After(at) {
		return
	}
	b.active[i].Status = status
	b.active[i].Checked = at
}

// Archive takes a delivered parcel off the board (carrier webhook).
func (b *Board) Archive(number string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := b.find(number); i >= 0 {
		b.active = slices.Delete(b.active, i, i+1)
	}
}

// Page returns up to limit parcels that were added after the given one.
func (b *Board) Page(after uint64, limit int) []Parcel {
	b.mu.RLock()
	defer b.mu.RUnlock()
	start, _ := slices.BinarySearchFunc(b.active, after+1, func(p *Parcel, seq uint64) int {
		return int(int64(p.Seq) - int64(seq))
	})
	end := min(start+limit, len(b.active))
	out := make([]Parcel, 0, end-start)
	for _, p := range b.active[start:end] {
		out = append(out, *p)
	}
	return out
}

type Poller interface {
	Status(ctx context.Context, carrier, number string) (string, error)
}

type Aggregator struct {
	board    *Board
	poller   Poller
	pageSize int
}

func NewAggregator(b *Board, p Poller) *Aggregator {
	return &Aggregator{board: b, poller: p, pageSize: 100}
}

// Sweep asks the carriers about every parcel under way.
func (a *Aggregator) Sweep(ctx context.Context) (failed int, err error) {
	var last uint64
	for {
		page := a.board.Page(last, a.pageSize)
		if len(page) == 0 {
			return failed, nil
		}
		last = page[len(page)-1].Seq
		for _, p := range page {
			if err := ctx.Err(); err != nil {
				return failed, fmt.Errorf("sweep: %w", err)
			}
			at := time.Now()
			st, err := a.poller.Status(ctx, p.Carrier, p.Number)
			if err != nil {
				failed++
				continue
			}
			a.board.SetStatus(p.Number, st, at)
		}
	}
}

func (a *Aggregator) Run(ctx context.Context, every time.Duration, onErr func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := a.Sweep(ctx); err != nil {
				onErr(err)
			}
		}
	}
}

// Delivered is the webhook's entry point.
func (a *Aggregator) Delivered(number string) { a.board.Archive(number) }
