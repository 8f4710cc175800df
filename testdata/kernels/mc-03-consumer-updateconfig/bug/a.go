package a

import (
	"errors"
	"sync"
)

var (
	errConsumerClosed = errors.New("consumer closed")
	errNoStream       = errors.New("consumer has no stream")
)

type retentionPolicy int

const (
	LimitsPolicy retentionPolicy = iota
	InterestPolicy
)

// ConsumerConfig is the configuration of a consumer.
type ConsumerConfig struct {
	FilterSubject string
	Description   string
}

type stream struct {
	mu        sync.RWMutex
	name      string
	msgs      map[uint64]string
	consumers map[string]*consumer
}

func (mset *stream) removeConsumer(o *consumer) {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if mset.consumers[o.name] == o {
		delete(mset.consumers, o.name)
	}
}

func (mset *stream) noInterest(subj string) []uint64 {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	var seqs []uint64
	for seq, s := range mset.msgs {
		if s != subj {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}

func (mset *stream) removeMsg(seq uint64) {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	delete(mset.msgs, seq)
}

type consumer struct {
	mu        sync.RWMutex
	name      string
	mset      *stream
	cfg       ConsumerConfig
	retention retentionPolicy
	closed    bool
	updates   int
}

func newConsumer(mset *stream, name string, r retentionPolicy) *consumer {
	o := &consumer{name: name, mset: mset, retention: r}
	mset.mu.Lock()
	mset.consumers[name] = o
	mset.mu.Unlock()
	return o
}

// stream returns the stream of this consumer, or nil once it was stopped.
func (o *consumer) stream() *stream {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.mset
}

func (o *consumer) isClosed() bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.closed
}

// updateConfig applies the new configuration.
func (o *consumer) updateConfig(cfg *ConsumerConfig) error {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return errConsumerClosed
	}
	if o.mset == nil {
		o.mu.Unlock()
		return errNoStream
	}
	updatedFilters := cfg.FilterSubject != o.cfg.FilterSubject
	o.cfg = *cfg
	o.updates++

	// Cleanup messages that lost interest.
	if updatedFilters && o.retention == InterestPolicy {
		o.mu.Unlock()
		o.cleanupNoInterestMessages(o.stream(), cfg.FilterSubject)
		o.mu.Lock()
	}
	o.mu.Unlock()
	return nil
}

// cleanupNoInterestMessages removes the messages nobody is interested in.
func (o *consumer) cleanupNoInterestMessages(mset *stream, subj string) {
	if o.isClosed() {
		// The stream still cleans up for a stopped consumer.
		subj = ""
	}
	for _, seq := range mset.noInterest(subj) {
		mset.removeMsg(seq)
	}
}

// stopWithFlags stops the consumer and detaches it from its stream.
func (o *consumer) stopWithFlags() error {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil
	}
	o.closed = true
	mset := o.mset
	o.mset = nil
	o.mu.Unlock()
	if mset != nil {
		mset.removeConsumer(o)
	}
	return nil
}

// run serves updates until the channel is closed; stop may come at any time.
func (o *consumer) run(updates <-chan *ConsumerConfig, stop <-chan struct{}) {
	go func() {
		<-stop
		o.stopWithFlags()
	}()
	for cfg := range updates {
		if err := o.updateConfig(cfg); err != nil {
			return
		}
	}
}
