package a

import (
	"errors"
	"sync"
)

var errConsumerNameExist = errors.New("consumer name already in use")

// ConsumerConfig is the configuration of a consumer.
type ConsumerConfig struct {
	Durable       string
	FilterSubject string
}

type consumer struct {
	mu     sync.RWMutex
	name   string
	cfg    ConsumerConfig
	mset   *stream
	closed bool
	qch    chan struct{}
}

func (o *consumer) isClosed() bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.closed
}

type stream struct {
	mu        sync.RWMutex
	name      string
	consumers map[string]*consumer
	numFilter int
	ackq      chan string
}

func newStream(name string) *stream {
	return &stream{name: name, consumers: map[string]*consumer{}, ackq: make(chan string, 64)}
}

// addConsumer creates the consumer unless an active one has the name.
func (mset *stream) addConsumer(cfg ConsumerConfig) (*consumer, error) {
	o := &consumer{name: cfg.Durable, cfg: cfg, mset: mset, qch: make(chan struct{})}
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if eo, ok := mset.consumers[o.name]; ok {
		if !eo.isClosed() {
			return nil, errConsumerNameExist
		}
		mset.removeConsumer(eo)
	}
	mset.setConsumer(o)
	go o.loopAndGatherMsgs()
	return o, nil
}

// Lock should be held.
func (mset *stream) setConsumer(o *consumer) {
	mset.consumers[o.name] = o
	if o.cfg.FilterSubject != "" {
		mset.numFilter++
	}
}

// Lock should be held.
func (mset *stream) removeConsumer(o *consumer) {
	if _, ok := mset.consumers[o.name]; !ok {
		return
	}
	delete(mset.consumers, o.name)
	if o.cfg.FilterSubject != "" && mset.numFilter > 0 {
		mset.numFilter--
	}
}

// lookupConsumer will retrieve a consumer by name.
func (mset *stream) lookupConsumer(name string) *consumer {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.consumers[name]
}

// numConsumers reports on the number of consumers for this stream.
func (mset *stream) numConsumers() int {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return len(mset.consumers)
}

func (o *consumer) loopAndGatherMsgs() {
	for {
		select {
		case <-o.qch:
			return
		case reply := <-o.mset.ackq:
			o.processAck(reply)
		}
	}
}

func (o *consumer) processAck(reply string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || reply == "" {
		return
	}
}

// delete removes the consumer on behalf of the client.
func (o *consumer) delete() error { return o.stopWithFlags() }

// stop is called when the server shuts down or the consumer is inactive.
func (o *consumer) stop() error { return o.stopWithFlags() }

func (o *consumer) stopWithFlags() error {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil
	}
	o.closed = true
	close(o.qch)
	mset := o.mset
	o.mu.Unlock()

	mset.mu.Lock()
	mset.removeConsumer(o)
	mset.mu.Unlock()
	return nil
}
