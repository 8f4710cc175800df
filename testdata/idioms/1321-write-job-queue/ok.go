package chunks

import "sync"

type chunkWriteJob struct {
	seriesRef uint64
	data      []byte
	callback  func(error)
}

// writeJobQueue is similar to buffered channel of chunkWriteJob, but manages its own buffers
// to avoid using a lot of memory when it's empty.
type writeJobQueue struct {
	maxSize     int
	segmentSize int

	mtx            sync.Mutex            // protects all following variables
	pushed, popped *sync.Cond            // signalled when something is pushed into the queue or popped from it
	first, last    *writeJobQueueSegment // pointer to first and last segment, if any
	size           int                   // total size of the queue
	closed         bool                  // after closing the queue, nothing can be pushed to it
}

type writeJobQueueSegment struct {
	segment             []chunkWriteJob
	nextRead, nextWrite int                   // index of next read and next write in this segment.
	nextSegment         *writeJobQueueSegment // next segment, if any
}

func newWriteJobQueue(maxSize, segmentSize int) *writeJobQueue {
	q := &writeJobQueue{
		maxSize:     maxSize,
		segmentSize: segmentSize,
	}
	q.pushed = sync.NewCond(&q.mtx)
	q.popped = sync.NewCond(&q.mtx)
	return q
}

func (q *writeJobQueue) close() {
	q.mtx.Lock()
	defer q.mtx.Unlock()

	q.closed = true

	// Unblock all blocked goroutines.
	q.pushed.Broadcast()
	q.popped.Broadcast()
}

// push blocks until there is space available in the queue, and then adds job to the queue.
// If queue is closed or gets closed while waiting for space, push returns false.
func (q *writeJobQueue) push(job chunkWriteJob) bool {
	q.mtx.Lock()
	defer q.mtx.Unlock()

	// Wait until queue has more space or is closed.
	for !q.closed && q.size >= q.maxSize {
		q.popped.Wait()
	}

	if q.closed {
		return false
	}

	// Check if this segment has more space for writing, and create new one if not.
	if q.last == nil || q.last.nextWrite >= q.segmentSize {
		prevLast := q.last
		q.last = &writeJobQueueSegment{
			segment: make([]chunkWriteJob, q.segmentSize),
		}

		if prevLast != nil {
			prevLast.nextSegment = q.last
		}
		if q.first == nil {
			q.first = q.last
		}
	}

	q.last.segment[q.last.nextWrite] = job
	q.last.nextWrite++
	q.size++
	q.pushed.Signal()
	return true
}

// pop returns first job from the queue, and true. If queue was already closed,
// pop first returns all remaining elements from the queue, and only then returns false.
func (q *writeJobQueue) pop() (chunkWriteJob, bool) {
	q.mtx.Lock()
	defer q.mtx.Unlock()

	// wait until something is pushed to the queue, or queue is closed.
	for q.size == 0 {
		if q.closed {
			return chunkWriteJob{}, false
		}
		q.pushed.Wait()
	}

	res := q.first.segment[q.first.nextRead]
	q.first.segment[q.first.nextRead] = chunkWriteJob{} // clear just-read element
	q.first.nextRead++
	q.size--

	// If we have read all possible elements from first segment, we can drop it.
	if q.first.nextRead >= q.segmentSize {
		q.first = q.first.nextSegment
		if q.first == nil {
			q.last = nil
		}
	}

	q.popped.Signal()
	return res, true
}

// chunkWriteQueue writes the jobs on one goroutine.
type chunkWriteQueue struct {
	jobs     *writeJobQueue
	workerWg sync.WaitGroup

	chunkRefMapMtx sync.RWMutex
	chunkRefMap    map[uint64][]byte

	isRunningMtx sync.Mutex
	isRunning    bool

	write func(ref uint64, data []byte) error
}

func newChunkWriteQueue(size int, write func(uint64, []byte) error) *chunkWriteQueue {
	c := &chunkWriteQueue{
		jobs:        newWriteJobQueue(size, 16),
		chunkRefMap: make(map[uint64][]byte),
		isRunning:   true,
		write:       write,
	}
	c.workerWg.Add(1)
	go func() {
		defer c.workerWg.Done()
		for {
			job, ok := c.jobs.pop()
			if !ok {
				return
			}
			err := c.write(job.seriesRef, job.data)
			if job.callback != nil {
				job.callback(err)
			}
			c.chunkRefMapMtx.Lock()
			delete(c.chunkRefMap, job.seriesRef)
			c.chunkRefMapMtx.Unlock()
		}
	}()
	return c
}

// addJob queues a chunk; references are given out once.
func (c *chunkWriteQueue) addJob(job chunkWriteJob) bool {
	c.isRunningMtx.Lock()
	defer c.isRunningMtx.Unlock()
	if !c.isRunning {
		return false
	}
	c.chunkRefMapMtx.Lock()
	c.chunkRefMap[job.seriesRef] = job.data
	c.chunkRefMapMtx.Unlock()
	ok := c.jobs.push(job)
	if !ok {
		c.chunkRefMapMtx.Lock()
		delete(c.chunkRefMap, job.seriesRef)
		c.chunkRefMapMtx.Unlock()
	}
	return ok
}

// get returns the chunk as long as it is not written.
func (c *chunkWriteQueue) get(ref uint64) []byte {
	c.chunkRefMapMtx.RLock()
	defer c.chunkRefMapMtx.RUnlock()
	return c.chunkRefMap[ref]
}

func (c *chunkWriteQueue) stop() {
	c.isRunningMtx.Lock()
	c.isRunning = false
	c.jobs.close()
	c.isRunningMtx.Unlock()
	c.workerWg.Wait()
}
