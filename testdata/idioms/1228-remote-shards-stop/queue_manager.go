package remote

import (
	"context"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

type timeSeries struct {
	ref       uint64
	value     float64
	timestamp int64
}

// QueueConfig is the configuration of a remote write queue.
type QueueConfig struct {
	MaxShards         int
	MaxSamplesPerSend int
	Capacity          int
	BatchSendDeadline time.Duration
}

// QueueManager manages a queue of samples to be sent to the Storage
// indicated by the provided WriteClient.
type QueueManager struct {
	cfg           QueueConfig
	flushDeadline time.Duration
	send          func(ctx context.Context, batch []timeSeries) error

	shards      *shards
	numShards   int
	reshardChan chan int
	quit        chan struct{}
	wg          sync.WaitGroup
}

// NewQueueManager builds a new QueueManager and starts a new
// WAL watcher with queue manager as the WriteTo destination.
func NewQueueManager(cfg QueueConfig, flushDeadline time.Duration, send func(context.Context, []timeSeries) error) *QueueManager {
	t := &QueueManager{
		cfg:           cfg,
		flushDeadline: flushDeadline,
		send:          send,
		numShards:     1,
		reshardChan:   make(chan int),
		quit:          make(chan struct{}),
	}
	t.shards = &shards{qm: t}
	return t
}

// Start the queue manager sending samples to the remote storage.
// Does not block.
func (t *QueueManager) Start() {
	t.shards.start(t.numShards)
	t.wg.Add(1)
	go t.reshardLoop()
}

// Stop stops sending samples to the remote storage and waits for pending
// sends to complete.
func (t *QueueManager) Stop() {
	close(t.quit)
	t.wg.Wait()
	// Wait for all QueueManager routines to end before stopping shards.
	t.shards.stop()
}

func (t *QueueManager) reshardLoop() {
	defer t.wg.Done()

	for {
		select {
		case numShards := <-t.reshardChan:
			// We start the newShards after we have stopped (the therefore completely
			// flushed) the oldShards, to guarantee we only every deliver samples in
			// order.
			t.shards.stop()
			t.shards.start(numShards)
		case <-t.quit:
			return
		}
	}
}

// Append queues a sample to be sent to the remote storage. Blocks until all samples are
// enqueued on their shards or a shutdown signal is received.
func (t *QueueManager) Append(samples []timeSeries) bool {
outer:
	for _, s := range samples {
		backoff := 5 * time.Millisecond
		for {
			select {
			case <-t.quit:
				return false
			default:
			}
			if t.shards.enqueue(s) {
				continue outer
			}
			time.Sleep(backoff)
			backoff *= 2
		}
	}
	return true
}

type shards struct {
	mtx sync.RWMutex // With the WAL, this is never actually contended.

	qm              *QueueManager
	queues          []*queue
	enqueuedSamples atomic.Int64

	// Emulate a wait group with a channel and an atomic int, as you
	// cannot select on a wait group.
	done    chan struct{}
	running atomic.Int32

	// Soft shutdown context will prevent new enqueues and deadlocks.
	softShutdown chan struct{}

	// Hard shutdown context is used to terminate outgoing HTTP connections
	// after giving them a chance to terminate.
	hardShutdown context.CancelFunc
}

// start the shards; must be called before any call to enqueue.
func (s *shards) start(n int) {
	s.mtx.Lock()
	defer s.mtx.Unlock()

	newQueues := make([]*queue, n)
	for i := range n {
		newQueues[i] = newQueue(s.qm.cfg.MaxSamplesPerSend, s.qm.cfg.Capacity)
	}

	s.queues = newQueues

	var hardShutdownCtx context.Context
	hardShutdownCtx, s.hardShutdown = context.WithCancel(context.Background())
	s.softShutdown = make(chan struct{})
	s.running.Store(int32(n))
	s.done = make(chan struct{})
	s.enqueuedSamples.Store(0)
	for i := range n {
		go s.runShard(hardShutdownCtx, newQueues[i])
	}
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
	case <-time.After(s.qm.flushDeadline):
	}

	// Force an unclean shutdown.
	s.hardShutdown()
	<-s.done
}

// enqueue data (sample or exemplar). If the shard is full, shutting down, or
// resharding, it will return false; in this case, you should back off and
// retry. A shard is full when its configured capacity has been reached,
// specifically, when s.queues[shard] has filled its batchQueue channel and the
// partial batch has also been filled.
func (s *shards) enqueue(data timeSeries) bool {
	s.mtx.RLock()
	defer s.mtx.RUnlock()
	shard := data.ref % uint64(len(s.queues))
	select {
	case <-s.softShutdown:
		return false
	default:
		appended := s.queues[shard].Append(data)
		if !appended {
			return false
		}
		s.enqueuedSamples.Add(1)
		return true
	}
}

func (s *shards) runShard(ctx context.Context, queue *queue) {
	defer func() {
		if s.running.Add(-1) == 0 {
			close(s.done)
		}
	}()

	ticker := time.NewTicker(s.qm.cfg.BatchSendDeadline)
	defer ticker.Stop()
	batchQueue := queue.Chan()
	for {
		var batch []timeSeries
		select {
		case <-ctx.Done():
			return
		case b, ok := <-batchQueue:
			if !ok {
				return
			}
			batch = b
		case <-ticker.C:
			batch = queue.Batch()
		}
		if len(batch) == 0 {
			continue
		}
		if err := s.qm.send(ctx, batch); err != nil {
			log.Println("non-recoverable error", err)
		}
		s.enqueuedSamples.Add(-int64(len(batch)))
	}
}

type queue struct {
	// batchMtx covers operations appending to or publishing the partial batch.
	batchMtx   sync.Mutex
	batch      []timeSeries
	batchQueue chan []timeSeries
}

func newQueue(batchSize, capacity int) *queue {
	batches := capacity / batchSize
	// Always create an unbuffered channel even if capacity is configured to be
	// less than max_samples_per_send.
	if batches == 0 {
		batches = 1
	}
	return &queue{
		batch:      make([]timeSeries, 0, batchSize),
		batchQueue: make(chan []timeSeries, batches),
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

func (q *queue) Chan() <-chan []timeSeries {
	return q.batchQueue
}

// Batch returns the current batch and allocates a new batch.
func (q *queue) Batch() []timeSeries {
	q.batchMtx.Lock()
	defer q.batchMtx.Unlock()
	select {
	case batch := <-q.batchQueue:
		return batch
	default:
		batch := q.batch
		q.batch = make([]timeSeries, 0, cap(batch))
		return batch
	}
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
		q.batch = nil
		return false
	case <-done:
		// The shard has been hard shut down, so no more samples can be sent.
		// No need to try again as we will drop everything left in the queue.
		return false
	default:
		// The batchQueue is full, so we need to try again later.
		return true
	}
}
