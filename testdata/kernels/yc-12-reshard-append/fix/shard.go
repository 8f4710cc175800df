package shipper

import "sync"

// shard is a bounded queue with one sending goroutine.
type shard struct {
	mu       sync.Mutex
	changed  *sync.Cond
	queue    []Record
	capacity int
	stopping bool
}

func newShard(capacity int) *shard {
	sh := &shard{capacity: capacity}
	sh.changed = sync.NewCond(&sh.mu)
	return sh
}

// push adds a record. It reports false when the shard is full.
func (sh *shard) push(r Record) bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if len(sh.queue) >= sh.capacity {
		return false
	}
	sh.queue = append(sh.queue, r)
	sh.changed.Signal()
	return true
}

// stop lets the shard end once its queue is empty.
func (sh *shard) stop() {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.stopping = true
	sh.changed.Signal()
}

// run sends records until the shard is stopped and empty.
func (sh *shard) run(c Client) {
	for {
		batch := sh.take()
		if batch == nil {
			return
		}
		c.Send(batch)
	}
}

func (sh *shard) take() []Record {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for len(sh.queue) == 0 {
		if sh.stopping {
			return nil
		}
		sh.changed.Wait()
	}
	batch := sh.queue
	sh.queue = nil
	return batch
}
