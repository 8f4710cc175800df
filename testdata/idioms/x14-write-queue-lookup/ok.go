// Package ok writes chunks in the background.
package ok

import (
	"errors"
	"sync"
)

type ref uint64

type job struct {
	ref      ref
	chunk    []byte
	callback func(error)
}

// Disk stores chunks.
type Disk interface {
	Write(ref uint64, p []byte) error
	Read(ref uint64) ([]byte, error)
}

type writeQueue struct {
	disk Disk
	jobs chan job

	chunkRefMapMtx sync.RWMutex
	chunkRefMap    map[ref][]byte

	isRunningMtx sync.Mutex // protects the isRunning property
	isRunning    bool
	workerWg     sync.WaitGroup
}

func newWriteQueue(d Disk, size int) *writeQueue {
	q := &writeQueue{disk: d, jobs: make(chan job, size), chunkRefMap: make(map[ref][]byte), isRunning: true}
	q.workerWg.Add(1)
	go func() {
		defer q.workerWg.Done()
		for j := range q.jobs {
			q.processJob(j)
		}
	}()
	return q
}

func (c *writeQueue) processJob(j job) {
	err := c.disk.Write(uint64(j.ref), j.chunk)
	if j.callback != nil {
		j.callback(err)
	}
	c.chunkRefMapMtx.Lock()
	defer c.chunkRefMapMtx.Unlock()
	delete(c.chunkRefMap, j.ref)
}

func (c *writeQueue) addJob(j job) (err error) {
	defer func() {
		if err != nil && j.callback != nil {
			j.callback(err)
		}
	}()
	c.isRunningMtx.Lock()
	defer c.isRunningMtx.Unlock()
	if !c.isRunning {
		return errors.New("queue is not running")
	}
	c.chunkRefMapMtx.Lock()
	c.chunkRefMap[j.ref] = j.chunk
	c.chunkRefMapMtx.Unlock()
	c.jobs <- j
	return nil
}

func (c *writeQueue) get(r ref) []byte {
	c.chunkRefMapMtx.RLock()
	defer c.chunkRefMapMtx.RUnlock()
	return c.chunkRefMap[r]
}

func (c *writeQueue) stop() {
	c.isRunningMtx.Lock()
	if !c.isRunning {
		c.isRunningMtx.Unlock()
		return
	}
	c.isRunning = false
	close(c.jobs)
	c.isRunningMtx.Unlock()
	c.workerWg.Wait()
}

// Chunk returns a chunk, written or not.
func (c *writeQueue) Chunk(r ref) ([]byte, error) {
	if p := c.get(r); p != nil {
		return p, nil
	}
	return c.disk.Read(uint64(r))
}
