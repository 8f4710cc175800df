package remotewrite

import (
	"encoding/json"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

type Sample struct {
	Value     float64
	Timestamp int64
}

type TimeSeries struct {
	Labels  string
	Samples []Sample
}

// FastQueue is the queue of the blocks that are to be sent.
type FastQueue struct {
	mu     sync.Mutex
	cond   sync.Cond
	blocks [][]byte
	stop   bool
	save   func(blocks [][]byte)
}

func MustOpenFastQueue(save func(blocks [][]byte)) *FastQueue {
	fq := &FastQueue{save: save}
	fq.cond.L = &fq.mu
	return fq
}

func (fq *FastQueue) MustWriteBlock(block []byte) {
	fq.mu.Lock()
	defer fq.mu.Unlock()
	fq.blocks = append(fq.blocks, block)
	fq.cond.Signal()
}

func (fq *FastQueue) MustReadBlock() ([]byte, bool) {
	fq.mu.Lock()
	defer fq.mu.Unlock()
	for len(fq.blocks) == 0 && !fq.stop {
		fq.cond.Wait()
	}
	if fq.stop {
		return nil, false
	}
	b := fq.blocks[0]
	fq.blocks = fq.blocks[1:]
	return b, true
}

func (fq *FastQueue) UnblockAllReaders() {
	fq.mu.Lock()
	defer fq.mu.Unlock()
	fq.stop = true
	fq.cond.Broadcast()
}

// MustClose saves what has not been sent.
func (fq *FastQueue) MustClose() {
	fq.UnblockAllReaders()
	fq.mu.Lock()
	defer fq.mu.Unlock()
	fq.save(fq.blocks)
	fq.blocks = nil
}

type client struct {
	fq   *FastQueue
	send func(block []byte) error
	wg   sync.WaitGroup
}

func newClient(fq *FastQueue, send func(block []byte) error, concurrency int) *client {
	c := &client{fq: fq, send: send}
	for i := 0; i < concurrency; i++ {
		c.wg.Add(1)
		go func() {
			defer c.wg.Done()
			for {
				block, ok := c.fq.MustReadBlock()
				if !ok {
					return
				}
				if err := c.send(block); err != nil {
					log.Printf("cannot send block: %s", err)
				}
			}
		}()
	}
	return c
}

func (c *client) MustStop() {
	c.wg.Wait()
}

const maxUnpackedBlockSize = 10000

type pendingSeries struct {
	mu        sync.Mutex
	tss       []TimeSeries
	pushBlock func(block []byte)

	stopCh            chan struct{}
	periodicFlusherWG sync.WaitGroup
}

func newPendingSeries(pushBlock func(block []byte)) *pendingSeries {
	ps := &pendingSeries{pushBlock: pushBlock, stopCh: make(chan struct{})}
	ps.periodicFlusherWG.Add(1)
	go func() {
		defer ps.periodicFlusherWG.Done()
		ps.periodicFlusher()
	}()
	return ps
}

func (ps *pendingSeries) MustStop() {
	close(ps.stopCh)
	ps.periodicFlusherWG.Wait()
}

func (ps *pendingSeries) Push(tss []TimeSeries) {
	ps.mu.Lock()
	ps.tss = append(ps.tss, tss...)
	if len(ps.tss) >= maxUnpackedBlockSize {
		ps.flushLocked()
	}
	ps.mu.Unlock()
}

func (ps *pendingSeries) flushLocked() {
	if len(ps.tss) == 0 {
		return
	}
	b, err := json.Marshal(ps.tss)
	if err != nil {
		log.Fatalf("BUG: cannot marshal series: %s", err)
	}
	ps.pushBlock(b)
	ps.tss = ps.tss[:0]
}

func (ps *pendingSeries) periodicFlusher() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	mustStop := false
	for !mustStop {
		select {
		case <-ps.stopCh:
			mustStop = true
		case <-ticker.C:
		}
		ps.mu.Lock()
		ps.flushLocked()
		ps.mu.Unlock()
	}
}

// Aggregator sums the samples of each series over the interval.
type Aggregator struct {
	mu       sync.Mutex
	m        map[string]float64
	pushFunc func(tss []TimeSeries)
	stopCh   chan struct{}
	wg       sync.WaitGroup
}

func newAggregator(interval time.Duration, pushFunc func(tss []TimeSeries)) *Aggregator {
	a := &Aggregator{m: make(map[string]float64), pushFunc: pushFunc, stopCh: make(chan struct{})}
	a.wg.Add(1)
	go func() {
		defer a.wg.Done()
		t := time.NewTicker(interval)
		defer t.Stop()
		for {
			select {
			case <-a.stopCh:
				return
			case <-t.C:
				a.flush()
			}
		}
	}()
	return a
}

func (a *Aggregator) Push(tss []TimeSeries) {
	if a == nil {
		return
	}
	a.mu.Lock()
	for _, ts := range tss {
		for _, s := range ts.Samples {
			a.m[ts.Labels] += s.Value
		}
	}
	a.mu.Unlock()
}

func (a *Aggregator) flush() {
	a.mu.Lock()
	m := a.m
	a.m = make(map[string]float64)
	a.mu.Unlock()
	now := time.Now().UnixMilli()
	tss := make([]TimeSeries, 0, len(m))
	for labels, v := range m {
		tss = append(tss, TimeSeries{Labels: labels, Samples: []Sample{{v, now}}})
	}
	a.pushFunc(tss)
}

// MustStop stops a and flushes the last interval.
func (a *Aggregator) MustStop() {
	if a == nil {
		return
	}
	close(a.stopCh)
	a.wg.Wait()
	a.flush()
}

type remoteWriteCtx struct {
	fq  *FastQueue
	c   *client
	sas atomic.Pointer[Aggregator]
	pss []*pendingSeries

	pssNextIdx atomic.Uint64
}

func newRemoteWriteCtx(queues int, interval time.Duration, send func(block []byte) error, save func(blocks [][]byte)) *remoteWriteCtx {
	fq := MustOpenFastQueue(save)
	rwctx := &remoteWriteCtx{fq: fq, c: newClient(fq, send, queues)}
	for i := 0; i < queues; i++ {
		rwctx.pss = append(rwctx.pss, newPendingSeries(fq.MustWriteBlock))
	}
	if interval > 0 {
		rwctx.sas.Store(newAggregator(interval, rwctx.pushInternal))
	}
	return rwctx
}

// MustStop stops rwctx. There must be no concurrent calls to Push.
func (rwctx *remoteWriteCtx) MustStop() {
	// sas must be stopped before rwctx is closed
	// because sas can write pending series to rwctx.pss if there are any
	sas := rwctx.sas.Swap(nil)
	sas.MustStop()

	for _, ps := range rwctx.pss {
		ps.MustStop()
	}
	rwctx.fq.UnblockAllReaders()
	rwctx.c.MustStop()
	rwctx.fq.MustClose()
}

func (rwctx *remoteWriteCtx) Push(tss []TimeSeries) {
	sas := rwctx.sas.Load()
	if sas == nil {
		rwctx.pushInternal(tss)
		return
	}
	sas.Push(tss)
}

func (rwctx *remoteWriteCtx) pushInternal(tss []TimeSeries) {
	idx := rwctx.pssNextIdx.Add(1) % uint64(len(rwctx.pss))
	rwctx.pss[idx].Push(tss)
}
