// Package bug forwards samples to a remote store over several lanes.
package bug

import (
	"context"
	"log"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Sample is one value of a series.
type Sample struct {
	Series uint64
	Time   int64
	Value  float64
}

// Remote takes batches.
type Remote interface {
	Store(ctx context.Context, batch []Sample) error
}

// Config of a queue.
type Config struct {
	MinLanes, MaxLanes int
	Capacity           int
	Batch              int
	Deadline           time.Duration
	FlushDeadline      time.Duration
}

// Queue distributes samples over lanes.
type Queue struct {
	cfg    Config
	remote Remote

	lanes     *lanes
	numLanes  int
	relaneCh  chan int
	quit      chan struct{}
	wg        sync.WaitGroup
	in, out   atomic.Int64
	spent     atomic.Int64
	retries   atomic.Int64
	lastRound time.Time
}

// NewQueue returns a queue that is not started.
func NewQueue(cfg Config, r Remote) *Queue {
	q := &Queue{
		cfg:      cfg,
		remote:   r,
		numLanes: cfg.MinLanes,
		relaneCh: make(chan int),
		quit:     make(chan struct{}),
	}
	q.lanes = &lanes{q: q, done: make(chan struct{})}
	return q
}

// Start begins to send.
func (q *Queue) Start() {
	q.lanes.start(q.numLanes)
	q.lastRound = time.Now()
	q.wg.Add(2)
	go q.measureLoop()
	go q.relaneLoop()
}

// Stop sends what is pending and ends all goroutines.
func (q *Queue) Stop() {
	log.Print("stopping queue")
	defer log.Print("queue stopped")

	close(q.quit)
	q.lanes.stop()
	q.wg.Wait()
}

// Append queues samples and returns false when the queue has stopped.
func (q *Queue) Append(samples []Sample) bool {
	q.in.Add(int64(len(samples)))
outer:
	for _, s := range samples {
		wait := 5 * time.Millisecond
		for {
			select {
			case <-q.quit:
				return false
			default:
			}
			if q.lanes.enqueue(s) {
				continue outer
			}
			q.retries.Add(1)
			time.Sleep(wait)
			wait = min(2*wait, time.Second)
		}
	}
	return true
}

func (q *Queue) measureLoop() {
	defer q.wg.Done()
	t := time.NewTicker(10 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			q.measure()
		case <-q.quit:
			return
		}
	}
}

func (q *Queue) measure() {
	now := time.Now()
	passed := now.Sub(q.lastRound)
	q.lastRound = now
	in, out, spent := q.in.Swap(0), q.out.Swap(0), q.spent.Swap(0)
	if out == 0 || passed <= 0 {
		return
	}
	perSample := float64(spent) / float64(out)
	n := int(math.Ceil(perSample * float64(in) / float64(passed)))
	n = max(q.cfg.MinLanes, min(n, q.cfg.MaxLanes))
	if n == q.numLanes {
		return
	}
	select {
	case q.relaneCh <- n:
		log.Printf("changing lanes from %d to %d", q.numLanes, n)
		q.numLanes = n
	default:
		log.Print("still changing lanes, skipping")
	}
}

func (q *Queue) relaneLoop() {
	defer q.wg.Done()
	for {
		select {
		case n := <-q.relaneCh:
			q.lanes.stop()
			q.lanes.start(n)
		case <-q.quit:
			return
		}
	}
}

type lanes struct {
	q *Queue

	mu      sync.RWMutex
	chans   []chan Sample
	done    chan struct{}
	running atomic.Int32
	soft    chan struct{}
	hard    context.CancelFunc
}

func (l *lanes) start(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()

	chans := make([]chan Sample, n)
	for i := range chans {
		chans[i] = make(chan Sample, l.q.cfg.Capacity)
	}
	l.chans = chans
	ctx, cancel := context.WithCancel(context.Background())
	l.hard = cancel
	l.soft = make(chan struct{})
	l.done = make(chan struct{})
	l.running.Store(int32(n))
	for i := range chans {
		go l.run(ctx, chans[i], l.done)
	}
}

func (l *lanes) stop() {
	// enqueue holds the read lock while it blocks on a full lane.
	l.mu.RLock()
	close(l.soft)
	l.mu.RUnlock()

	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.chans {
		close(c)
	}
	select {
	case <-l.done:
		l.hard()
		return
	case <-time.After(l.q.cfg.FlushDeadline):
		log.Print("could not flush all samples")
	}
	l.hard()
	<-l.done
}

func (l *lanes) enqueue(s Sample) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	select {
	case <-l.soft:
		return false
	default:
	}
	select {
	case <-l.soft:
		return false
	case l.chans[s.Series%uint64(len(l.chans))] <- s:
		return true
	}
}

func (l *lanes) run(ctx context.Context, in chan Sample, done chan struct{}) {
	defer func() {
		if l.running.Add(-1) == 0 {
			close(done)
		}
	}()
	var batch []Sample
	t := time.NewTicker(l.q.cfg.Deadline)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case s, ok := <-in:
			if !ok {
				l.send(ctx, batch)
				return
			}
			batch = append(batch, s)
			if len(batch) >= l.q.cfg.Batch {
				l.send(ctx, batch)
				batch = batch[:0]
			}
		case <-t.C:
			l.send(ctx, batch)
			batch = batch[:0]
		}
	}
}

func (l *lanes) send(ctx context.Context, batch []Sample) {
	if len(batch) == 0 {
		return
	}
	begin := time.Now()
	if err := l.q.remote.Store(ctx, batch); err != nil {
		log.Printf("store: %v", err)
	}
	l.q.out.Add(int64(len(batch)))
	l.q.spent.Add(int64(time.Since(begin)))
}
