package a

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
)

var ErrClosed = errors.New("transcode: queue closed")

type Job struct {
	ID      string
	Tenant  string
	Source  string
	Profile string
}

type Encoder interface {
	Encode(ctx context.Context, j Job) error
}

// Queue hands jobs to encoders; a tenant may have at most perTenant jobs running.
type Queue struct {
	enc       Encoder
	log       *slog.Logger
	slots     chan struct{}
	wake      chan struct{}
	perTenant int

	mu      sync.Mutex
	closed  bool
	waiting []Job
	running map[string]int
}

func NewQueue(enc Encoder, log *slog.Logger, workers, perTenant int) *Queue {
	return &Queue{
		enc:       enc,
		log:       log,
		slots:     make(chan struct{}, workers),
		wake:      make(chan struct{}, 1),
		perTenant: perTenant,
		running:   make(map[string]int),
	}
}

func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *Queue) Submit(j Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.waiting = append(q.waiting, j)
	q.signal()
	return nil
}

// next takes the oldest job whose tenant is below its limit.
func (q *Queue) next() (Job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, j := range q.waiting {
		if q.running[j.Tenant] < q.perTenant {
			q.waiting = slices.Delete(q.waiting, i, i+1)
			q.running[j.Tenant]++
			return j, true
		}
	}
	return Job{}, false
}

func (q *Queue) end(j Job) {
	q.mu.Lock()
	if q.running[j.Tenant]--; q.running[j.Tenant] == 0 {
		delete(q.running, j.Tenant)
	}
	q.mu.Unlock()
	q.signal()
}

// Dispatch runs until ctx ends.
func (q *Queue) Dispatch(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		select {
		case q.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		j, ok := q.next()
		for !ok {
			select {
			case <-q.wake:
			case <-ctx.Done():
				return
			}
			j, ok = q.next()
		}
		wg.Go(func() {
			defer func() { <-q.slots }()
			q.work(ctx, j)
		})
	}
}

func (q *Queue) work(ctx context.Context, j Job) {
	defer q.end(j)
	q.log.Info("encoding", "job", j.ID, "profile", j.Profile)
	if err := q.enc.Encode(ctx, j); err != nil {
		q.log.Error("encode failed", "job", j.ID, "tenant", j.Tenant, "err", err)
	}
}

func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
}

func (q *Queue) Running(tenant string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running[tenant]
}
