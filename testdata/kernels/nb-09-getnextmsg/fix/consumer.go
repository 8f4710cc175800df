// Package consumer delivers the messages of a stream.
package consumer

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errBadConsumer   = errors.New("consumer not valid")
	errMaxAckPending = errors.New("max ack pending reached")
)

type StoreMsg struct {
	subj string
	msg  []byte
	seq  uint64
	ts   int64
}

type jsPubMsg struct {
	dsubj string
	reply string
	StoreMsg
}

var jsPubMsgPool = sync.Pool{New: func() any { return new(jsPubMsg) }}

func (pm *jsPubMsg) returnToPool() {
	*pm = jsPubMsg{}
	jsPubMsgPool.Put(pm)
}

// jsOutQ is the send queue of the stream.
type jsOutQ struct {
	mu   sync.Mutex
	elts []*jsPubMsg
}

func (q *jsOutQ) send(pm *jsPubMsg) {
	q.mu.Lock()
	q.elts = append(q.elts, pm)
	q.mu.Unlock()
}

type StreamStore interface {
	LoadMsg(seq uint64, sm *StoreMsg) error
	LoadNextMsg(filter string, start uint64, sm *StoreMsg) (skip uint64, err error)
}

type stream struct {
	mu        sync.RWMutex
	name      string
	store     StreamStore
	consumers map[string]*consumer
}

func (mset *stream) removeConsumer(o *consumer) {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if mset.consumers[o.name] == o {
		delete(mset.consumers, o.name)
	}
}

type consumerConfig struct {
	DeliverSubject string
	FilterSubject  string
	MaxAckPending  int
}

// consumer is a jetstream consumer.
type consumer struct {
	mu      sync.RWMutex
	name    string
	mset    *stream
	cfg     consumerConfig
	closed  bool
	active  bool
	sseq    uint64
	dseq    uint64
	rdq     []uint64
	pending map[uint64]int64
	outq    *jsOutQ
	mch     chan struct{}
	qch     chan struct{}
}

func (mset *stream) addConsumer(name string, cfg consumerConfig, outq *jsOutQ) *consumer {
	o := &consumer{
		name:    name,
		mset:    mset,
		cfg:     cfg,
		active:  true,
		sseq:    1,
		dseq:    1,
		pending: make(map[uint64]int64),
		outq:    outq,
		mch:     make(chan struct{}, 1),
		qch:     make(chan struct{}),
	}
	mset.mu.Lock()
	mset.consumers[name] = o
	mset.mu.Unlock()
	go o.loopAndGatherMsgs(o.qch)
	return o
}

func (o *consumer) signalNewMessages() {
	select {
	case o.mch <- struct{}{}:
	default:
	}
}

// ackMsg takes a message out of the pending ones.
func (o *consumer) ackMsg(sseq uint64) {
	o.mu.Lock()
	delete(o.pending, sseq)
	o.mu.Unlock()
	o.signalNewMessages()
}

// nakMsg has the message sent again.
func (o *consumer) nakMsg(sseq uint64) {
	o.mu.Lock()
	if _, ok := o.pending[sseq]; ok {
		o.rdq = append(o.rdq, sseq)
	}
	o.mu.Unlock()
	o.signalNewMessages()
}

// getNextMsg gets the next message from underlying store.
// Is partition aware and redeliver aware.
// Lock should be held.
func (o *consumer) getNextMsg() (*jsPubMsg, uint64, error) {
	if o.mset == nil || o.mset.store == nil {
		return nil, 0, errBadConsumer
	}
	store := o.mset.store
	for len(o.rdq) > 0 {
		seq := o.rdq[0]
		o.rdq = o.rdq[1:]
		pmsg := jsPubMsgPool.Get().(*jsPubMsg)
		if err := store.LoadMsg(seq, &pmsg.StoreMsg); err != nil {
			pmsg.returnToPool()
			delete(o.pending, seq)
			continue
		}
		return pmsg, 2, nil
	}

	// Check if we have max pending.
	if o.cfg.MaxAckPending > 0 && len(o.pending) >= o.cfg.MaxAckPending {
		return nil, 0, errMaxAckPending
	}

	// Grab next message applicable to us.
	// We will unlock here in case lots of contention, e.g. WQ.
	filter, fseq := o.cfg.FilterSubject, o.sseq
	o.mu.Unlock()
	pmsg := jsPubMsgPool.Get().(*jsPubMsg)
	sseq, err := store.LoadNextMsg(filter, fseq, &pmsg.StoreMsg)
	if err != nil {
		pmsg.returnToPool()
		pmsg = nil
	}
	o.mu.Lock()
	if sseq >= o.sseq {
		o.sseq = sseq + 1
	}
	return pmsg, 1, err
}

func (o *consumer) loopAndGatherMsgs(qch chan struct{}) {
	for {
		var (
			pmsg     *jsPubMsg
			dc       uint64
			err      error
			ackReply string
		)
		o.mu.Lock()

		// consumer is closed when mset is set to nil.
		if o.mset == nil {
			o.mu.Unlock()
			return
		}

		// If we are in push mode and not active or under flow control let's stop sending.
		if !o.active {
			goto waitForMsgs
		}

		// Grab our next msg.
		pmsg, dc, err = o.getNextMsg()

		// consumer is closed when mset is set to nil.
		if o.mset == nil {
			o.mu.Unlock()
			if pmsg != nil {
				pmsg.returnToPool()
			}
			return
		}

		// On error either wait or return.
		if err != nil || pmsg == nil {
			if err == errBadConsumer {
				o.mu.Unlock()
				return
			}
			goto waitForMsgs
		}

		ackReply = fmt.Sprintf("$JS.ACK.%s.%s.%d.%d.%d", o.mset.name, o.name, dc, pmsg.seq, o.dseq)
		o.deliverMsg(o.cfg.DeliverSubject, ackReply, pmsg)
		o.mu.Unlock()
		continue

	waitForMsgs:
		o.mu.Unlock()
		select {
		case <-o.mch:
		case <-qch:
			return
		}
	}
}

// Lock should be held.
func (o *consumer) deliverMsg(dsubj, ackReply string, pmsg *jsPubMsg) {
	o.dseq++
	pmsg.dsubj, pmsg.reply = dsubj, ackReply
	o.pending[pmsg.seq] = time.Now().UnixNano()
	o.outq.send(pmsg)
}

// stop closes the consumer and takes it from the stream.
func (o *consumer) stop() error {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil
	}
	o.closed = true
	close(o.qch)
	mset := o.mset
	o.mset = nil
	o.active = false
	o.mu.Unlock()

	mset.removeConsumer(o)
	return nil
}
