package a

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

type Route struct {
	From, To string
}

type Router interface {
	Travel(ctx context.Context, r Route) (time.Duration, error)
}

// ETA remembers travel times. They do not change while the process runs.
type ETA struct {
	router Router
	log    *slog.Logger
	times  sync.Map // Route -> time.Duration

	asked  atomic.Uint64
	missed atomic.Uint64
	logged atomic.Int64 // unix seconds
}

func NewETA(r Router, log *slog.Logger) *ETA {
	return &ETA{router: r, log: log}
}

func (e *ETA) Minutes(ctx context.Context, r Route) (int, error) {
	e.asked.Add(1)
	if v, ok := e.times.Load(r); ok {
		e.report()
		return ceil(v.(time.Duration)), nil
	}
	e.missed.Add(1)
	d, err := e.router.Travel(ctx, r)
	if err != nil {
		return 0, err
	}
	v, _ := e.times.LoadOrStore(r, d)
	e.report()
	return ceil(v.(time.Duration)), nil
}

func ceil(d time.Duration) int {
	return int((d + time.Minute - 1) / time.Minute)
}

// report writes a debug line about once a minute.
func (e *ETA) report() {
	now := time.Now().Unix()
	if now-e.logged.Load() < 60 {
		return
	}
	e.logged.Store(now)
	missed := e.missed.Load()
	asked := e.asked.Load()
	if asked == 0 {
		return
	}
	e.log.Debug("eta cache", "asked", asked, "missRatio", float64(missed)/float64(asked))
}

func (e *ETA) Cheapest(ctx context.Context, to string, from []string) (string, error) {
	best, bestMin := "", 0
	for _, f := range from {
		m, err := e.Minutes(ctx, Route{From: f, To: to})
		if err != nil {
			return "", err
		}
		if best == "" || m < bestMin {
			best, bestMin = f, m
		}
	}
	return best, nil
}
