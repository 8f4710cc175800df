package billing

import (
	"context"
	"log"
	"sync/atomic"
	"time"
)

type Charger interface {
	Charge(ctx context.Context, account string) error
}

type Runner struct {
	charger  Charger
	accounts []string
	every    time.Duration

	running atomic.Bool
	rounds  atomic.Int64
	failed  atomic.Int64
}

func NewRunner(c Charger, every time.Duration, accounts ...string) *Runner {
	return &Runner{charger: c, every: every, accounts: accounts}
}

func (r *Runner) Start(ctx context.Context) bool {
	if len(r.accounts) == 0 {
		log.Print("billing: nothing to charge")
		return false
	}
	if !r.running.CompareAndSwap(false, true) {
		return false
	}
	go r.loop(ctx)
	return true
}

func (r *Runner) loop(ctx context.Context) {
	defer r.running.Store(false)
	t := time.NewTicker(r.every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			r.round(ctx)
		}
	}
}

func (r *Runner) round(ctx context.Context) {
	for _, a := range r.accounts {
		if err := r.charger.Charge(ctx, a); err != nil {
			r.failed.Add(1)
			log.Printf("billing: %s: %v", a, err)
		}
	}
	r.rounds.Add(1)
}

func (r *Runner) Running() bool { return r.running.Load() }

func (r *Runner) Stats() (rounds, failed int64) {
	return r.rounds.Load(), r.failed.Load()
}
