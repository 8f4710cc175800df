package a

import (
	"sync"
	"time"
)

type sampleOrExemplar struct {
	timestamp int64
	value     float64
}

type queue struct {
	// batchMtx covers the operations on the current batch.
	batchMtx   sync.Mutex
	batch      []sampleOrExemplar
	batchQueue chan []sampleOrExemplar

	// poolMtx covers adding and removing batches from the batchPool.
	poolMtx   sync.Mutex
	batchPool [][]sampleOrExemplar
}

func newQueue(batchSize, capacity int) *queue {
	batches := capacity / batchSize
	if batches == 0 {
		batches = 1
	}
	return &queue{
		batch:      make([]sampleOrExemplar, 0, batchSize),
		batchQueue: make(chan []sampleOrExemplar, batches),
		batchPool:  make([][]sampleOrExemplar, 0, batches+1),
	}
}

// Append adds the datum to the batch and reports whether it was enqueued.
func (q *queue) Append(datum sampleOrExemplar) bool {
	q.batchMtx.Lock()
	defer q.batchMtx.Unlock()
	q.batch = append(q.batch, datum)
	if len(q.batch) == cap(q.batch) {
		select {
		case q.batchQueue <- q.batch:
			q.batch = q.newBatch(cap(q.batch))
			return true
		default:
			// Remove the sample we just appended. It will get retried.
			q.batch = q.batch[:len(q.batch)-1]
			return false
		}
	}
	return true
}

// Chan returns the channel of full batches.
func (q *queue) Chan() <-chan []sampleOrExemplar { return q.batchQueue }

// Batch returns the current batch and allocates a new batch.
func (q *queue) Batch() []sampleOrExemplar {
	q.batchMtx.Lock()
	defer q.batchMtx.Unlock()
	select {
	case batch := <-q.batchQueue:
		return batch
	default:
		batch := q.batch
		q.batch = q.newBatch(cap(batch))
		return batch
	}
}

// ReturnForReuse adds the batch buffer back to the internal pool.
func (q *queue) ReturnForReuse(batch []sampleOrExemplar) {
	q.poolMtx.Lock()
	defer q.poolMtx.Unlock()
	if len(q.batchPool) < cap(q.batchPool) {
		q.batchPool = append(q.batchPool, batch[:0])
	}
}

// FlushAndShutdown stops the queue and flushes any samples. No appends can be
// made after this is called.
func (q *queue) FlushAndShutdown(done <-chan struct{}) {
	for q.tryEnqueueingBatch(done) {
		time.Sleep(time.Second)
	}
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
	case <-done:
	default:
		// The batchQueue is full, so we need to try again later.
		return true
	}
	q.batch = nil
	return false
}

func (q *queue) newBatch(capacity int) []sampleOrExemplar {
	q.poolMtx.Lock()
	defer q.poolMtx.Unlock()
	if n := len(q.batchPool); n > 0 {
		batch := q.batchPool[n-1]
		q.batchPool = q.batchPool[:n-1]
		return batch
	}
	return make([]sampleOrExemplar, 0, capacity)
}

// runShard sends the batches of the queue until it is shut down.
func runShard(q *queue, deadline time.Duration, send func([]sampleOrExemplar)) {
	timer := time.NewTimer(deadline)
	defer timer.Stop()
	for {
		select {
		case batch, ok := <-q.Chan():
			if !ok {
				return
			}
			send(batch)
			q.ReturnForReuse(batch)
		case <-timer.C:
			if batch := q.Batch(); len(batch) > 0 {
				send(batch)
				q.ReturnForReuse(batch)
			}
		}
		timer.Reset(deadline)
	}
}

// stop shuts the queue down from the goroutine of the queue manager.
func stop(q *queue, done <-chan struct{}) {
	go q.FlushAndShutdown(done)
}
