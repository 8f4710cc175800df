package a

import (
	"context"
	"sync"
	"sync/atomic"
)

type TimeSeries struct {
	Ref   uint64
	Value float64
}

// QueueManager manages a queue of samples to be sent to the storage client.
type QueueManager struct {
	capacity int
	send     func(context.Context, TimeSeries)

	shards      *shards
	reshardChan chan int
	quit        chan struct{}
	stopOnce    sync.Once
	wg          sync.WaitGroup
}

func NewQueueManager(send func(context.Context, TimeSeries)) *QueueManager {
	t := &QueueManager{
		capacity:    100,
		send:        send,
		reshardChan: make(chan int),
		quit:        make(chan struct{}),
	}
	t.shards = &shards{qm: t, done: make(chan struct{})}
	t.shards.start(1)
	t.wg.Add(1)
	go t.reshardLoop()
	return t
}

// Append queues a sample to be sent to the remote storage.
func (t *QueueManager) Append(ts TimeSeries) bool {
	return t.shards.enqueue(ts)
}

// Reshard asks for another number of shards.
func (t *QueueManager) Reshard(n int) {
	select {
	case t.reshardChan <- max(n, 1):
	case <-t.quit:
	}
}

// Stop stops sending samples to the remote storage and waits for pending
// sends to complete.
func (t *QueueManager) Stop() {
	t.stopOnce.Do(func() {
		close(t.quit)
		t.wg.Wait()
		t.shards.stop()
	})
}

func (t *QueueManager) reshardLoop() {
	defer t.wg.Done()
	for {
		select {
		case numShards := <-t.reshardChan:
			// Start the new shards only after the old ones are flushed, so that
			// samples are delivered in order.
			t.shards.stop()
			t.shards.start(numShards)
		case <-t.quit:
			return
		}
	}
}

type shards struct {
	mtx          sync.RWMutex
	qm           *QueueManager
	queues       []chan TimeSeries
	done         chan struct{}
	softShutdown chan struct{}
}

func (s *shards) start(n int) {
	s.mtx.Lock()
	defer s.mtx.Unlock()
	s.queues = make([]chan TimeSeries, n)
	s.softShutdown = make(chan struct{})
	done := make(chan struct{})
	s.done = done
	running := int32(n)
	for i := range s.queues {
		s.queues[i] = make(chan TimeSeries, s.qm.capacity)
		go s.runShard(s.queues[i], done, &running)
	}
}

func (s *shards) stop() {
	s.mtx.RLock()
	close(s.softShutdown)
	s.mtx.RUnlock()

	// Enqueue is unblocked now, so the write lock can be taken.
	s.mtx.Lock()
	defer s.mtx.Unlock()
	for _, queue := range s.queues {
		close(queue)
	}
	<-s.done
}

func (s *shards) enqueue(ts TimeSeries) bool {
	s.mtx.RLock()
	defer s.mtx.RUnlock()
	select {
	case <-s.softShutdown:
		return false
	default:
	}
	select {
	case <-s.softShutdown:
		return false
	case s.queues[ts.Ref%uint64(len(s.queues))] <- ts:
		return true
	}
}

func (s *shards) runShard(queue chan TimeSeries, done chan struct{}, running *int32) {
	defer func() {
		if atomic.AddInt32(running, -1) == 0 {
			close(done)
		}
	}()
	for ts := range queue {
		s.qm.send(context.Background(), ts)
	}
}
