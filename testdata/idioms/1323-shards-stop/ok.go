package remote

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

type timeSeries struct {
	ref   uint64
	t     int64
	value float64
}

// queue of one shard.
type queue struct {
	// batchMtx covers operations appending to or publishing the partial batch.
	batchMtx   sync.Mutex
	batch      []timeSeries
	batchQueue chan []timeSeries
}

func newQueue(batchSize, capacity int) *queue {
	return &queue{
		batch:      make([]timeSeries, 0, batchSize),
		batchQueue: make(chan []timeSeries, capacity/batchSize),
	}
}

// Append the timeSeries to the buffered batch. Returns false if it
// cannot be added and must be retried.
func (q *queue) Append(datum timeSeries) bool {
	q.batchMtx.Lock()
	defer q.batchMtx.Unlock()
	q.batch = append(q.batch, datum)
	if len(q.batch) == cap(q.batch) {
		select {
		case q.batchQueue <- q.batch:
			q.batch = make([]timeSeries, 0, cap(q.batch))
			return true
		default:
			// Remove the sample we just appended. It will get retried.
			q.batch = q.batch[:len(q.batch)-1]
			return false
		}
	}
	return true
}

// FlushAndShutdown stops the queue and flushes any samples. No appends can be
// made after this is called.
func (q *queue) FlushAndShutdown(done <-chan struct{}) {
loop:
	for q.tryEnqueueingBatch(done) {
		select {
		case <-done:
			break loop
		case <-time.After(time.Second):
		}
	}

	q.batchMtx.Lock()
	defer q.batchMtx.Unlock()
	q.batch = nil
	close(q.batchQueue)
}

// tryEnqueueingBatch tries to send a batch if necessary. If sending needs to
// be retried it will return true.
func (q *queue) tryEnqueueingBatch(done <-chan struct{}) bool {
	q.batchMtx.Lock()
	defer q.batchMtx.Unlock()
	if len(q.batch) == 0 {
		return false
	}
	select {
	case q.batchQueue <- q.batch:
		return false
	case <-done:
		// The shard has been hard shut down, so no more samples can be sent.
		return false
	default:
		// The batchQueue is full, so we need to try again later.
		return true
	}
}

// shards of one generation: it is stopped once, by the manager.
type shards struct {
	mtx sync.RWMutex // With the WAL, this is never actually contended.

	queues  []*queue
	running atomic.Int32

	// Emulate a wait group with a channel and an atomic int, as you
	// cannot select on a wait group.
	done chan struct{}

	// Soft shutdown context will prevent new enqueues.
	softShutdown chan struct{}

	// Hard shutdown context is used to terminate outgoing HTTP connections
	// after giving them a chance to terminate.
	hardShutdown context.CancelFunc

	flushDeadline time.Duration
	send          func(ctx context.Context, batch []timeSeries)
}

func startShards(n int, flushDeadline time.Duration, send func(context.Context, []timeSeries)) *shards {
	ctx, cancel := context.WithCancel(context.Background())
	s := &shards{
		done:          make(chan struct{}),
		softShutdown:  make(chan struct{}),
		hardShutdown:  cancel,
		flushDeadline: flushDeadline,
		send:          send,
	}
	for i := 0; i < n; i++ {
		s.queues = append(s.queues, newQueue(100, 2500))
	}
	s.running.Store(int32(n))
	for i := range s.queues {
		go s.runShard(ctx, s.queues[i])
	}
	return s
}

// stop the shards; subsequent call to enqueue will return false.
func (s *shards) stop() {
	// Attempt a clean shutdown, but only wait flushDeadline for all the shards
	// to cleanly exit. As we're doing RPCs, enqueue can block indefinitely.
	// We must be able so call stop concurrently, hence we can only take the
	// RLock here.
	s.mtx.RLock()
	close(s.softShutdown)
	s.mtx.RUnlock()

	// Enqueue should now be unblocked, so we can take the write lock.  This
	// also ensures we don't race with writes to the queues, and get a panic:
	// send on closed channel.
	s.mtx.Lock()
	defer s.mtx.Unlock()
	for _, queue := range s.queues {
		go queue.FlushAndShutdown(s.done)
	}
	select {
	case <-s.done:
		return
	case <-time.After(s.flushDeadline):
	}

	// Force an unclean shutdown.
	s.hardShutdown()
	<-s.done
}

// enqueue data. If the shard is full or shutting down it will return false.
func (s *shards) enqueue(data timeSeries) bool {
	s.mtx.RLock()
	defer s.mtx.RUnlock()
	select {
	case <-s.softShutdown:
		return false
	default:
		return s.queues[data.ref%uint64(len(s.queues))].Append(data)
	}
}

func (s *shards) runShard(ctx context.Context, queue *queue) {
	defer func() {
		if s.running.Add(-1) == 0 {
			close(s.done)
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case batch, ok := <-queue.batchQueue:
			if !ok {
				return
			}
			s.send(ctx, batch)
		}
	}
}
