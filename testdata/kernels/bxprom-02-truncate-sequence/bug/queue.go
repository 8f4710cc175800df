package bug

import "sync"

type chunkWriteJob struct {
	cutFile  bool
	chk      []byte
	ref      Ref
	callback func(error)
}

// chunkWriteQueue writes chunks in the background, in order.
type chunkWriteQueue struct {
	jobs       chan chunkWriteJob
	writeChunk func(p []byte, ref Ref, cutFile bool) error

	chunkRefMapMtx sync.RWMutex
	chunkRefMap    map[Ref][]byte // what has not been written yet
}

func newChunkWriteQueue(size int, writeChunk func([]byte, Ref, bool) error) *chunkWriteQueue {
	q := &chunkWriteQueue{
		jobs:        make(chan chunkWriteJob, size),
		writeChunk:  writeChunk,
		chunkRefMap: make(map[Ref][]byte),
	}
	go func() {
		for job := range q.jobs {
			q.processJob(job)
		}
	}()
	return q
}

func (c *chunkWriteQueue) addJob(job chunkWriteJob) {
	c.chunkRefMapMtx.Lock()
	c.chunkRefMap[job.ref] = job.chk
	c.chunkRefMapMtx.Unlock()
	c.jobs <- job
}

func (c *chunkWriteQueue) processJob(job chunkWriteJob) {
	err := c.writeChunk(job.chk, job.ref, job.cutFile)
	if job.callback != nil {
		job.callback(err)
	}
	c.chunkRefMapMtx.Lock()
	delete(c.chunkRefMap, job.ref)
	c.chunkRefMapMtx.Unlock()
}

// get returns a chunk that has not been written yet.
func (c *chunkWriteQueue) get(ref Ref) []byte {
	c.chunkRefMapMtx.RLock()
	defer c.chunkRefMapMtx.RUnlock()
	return c.chunkRefMap[ref]
}

func (c *chunkWriteQueue) queueIsEmpty() bool {
	c.chunkRefMapMtx.RLock()
	defer c.chunkRefMapMtx.RUnlock()
	return len(c.chunkRefMap) == 0
}
