// Package cluster assigns consumers to the streams of a cluster.
package cluster

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strconv"
	"sync"
)

var (
	errStreamNotFound = errors.New("stream not found")
	errMaxConsumers   = errors.New("maximum consumers limit reached")
	errNameExists     = errors.New("consumer name already in use")
)

// ConsumerConfig is what a user asks for.
type ConsumerConfig struct {
	Durable string
	Subject string
	MaxWait int
}

type consumerAssignment struct {
	stream, name string
	cfg          ConsumerConfig
	pending      bool // proposed, not applied yet
}

type streamAssignment struct {
	maxConsumers int
	consumers    map[string]*consumerAssignment
}

// JetStream is the meta layer of one server.
type JetStream struct {
	meta *metaLog

	mu      sync.RWMutex
	streams map[string]*streamAssignment
}

// New returns a meta layer; Monitor has to run for it to make progress.
func New() *JetStream {
	return &JetStream{meta: newMetaLog(), streams: make(map[string]*streamAssignment)}
}

// AddStream registers a stream, 0 is no limit of consumers.
func (js *JetStream) AddStream(name string, maxConsumers int) {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.streams[name] = &streamAssignment{
		maxConsumers: maxConsumers,
		consumers:    make(map[string]*consumerAssignment),
	}
}

// ConsumerRequest checks a request and proposes the consumer to the group.
func (js *JetStream) ConsumerRequest(stream string, cfg ConsumerConfig) (string, error) {
	js.mu.Lock()
	defer js.mu.Unlock()

	sa := js.streams[stream]
	if sa == nil {
		return "", errStreamNotFound
	}
	// Check for max consumers here to short circuit if possible.
	if maxc := sa.maxConsumers; maxc > 0 && len(sa.consumers) >= maxc {
		return "", errMaxConsumers
	}
	if cfg.MaxWait == 0 {
		cfg.MaxWait = 512
	}

	name := cfg.Durable
	if name == "" {
		// Make sure the name is unique.
		for name == "" || sa.consumers[name] != nil {
			name = strconv.FormatUint(rand.Uint64(), 36)
		}
	} else if ca := sa.consumers[name]; ca != nil && (ca.pending || !reflect.DeepEqual(ca.cfg, cfg)) {
		return "", errNameExists
	}

	ca := &consumerAssignment{stream: stream, name: name, cfg: cfg}
	// Mark this as pending.
	ca.pending = true
	sa.consumers[name] = ca
	js.meta.propose(entry{op: assignConsumer, ca: ca})
	return name, nil
}

// DeleteConsumer proposes the removal of a consumer.
func (js *JetStream) DeleteConsumer(stream, name string) {
	js.meta.propose(entry{op: removeConsumer, ca: &consumerAssignment{stream: stream, name: name}})
}

// Monitor applies what the group agreed on.
func (js *JetStream) Monitor(quit <-chan struct{}) {
	for {
		select {
		case <-js.meta.ready:
			for _, e := range js.meta.take() {
				switch e.op {
				case assignConsumer:
					js.processAssignment(e.ca)
				case removeConsumer:
					js.processRemoval(e.ca)
				}
			}
		case <-quit:
			return
		}
	}
}

func (js *JetStream) processAssignment(ca *consumerAssignment) {
	js.mu.Lock()
	defer js.mu.Unlock()
	sa := js.streams[ca.stream]
	if sa == nil {
		return
	}
	ca.pending = false
	sa.consumers[ca.name] = ca
}

func (js *JetStream) processRemoval(ca *consumerAssignment) {
	js.mu.Lock()
	defer js.mu.Unlock()
	sa := js.streams[ca.stream]
	if sa == nil {
		return
	}
	// A pending one was proposed after this removal.
	if cur := sa.consumers[ca.name]; cur != nil && !cur.pending {
		delete(sa.consumers, ca.name)
	}
}
