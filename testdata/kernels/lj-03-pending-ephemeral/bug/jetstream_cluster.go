package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
)

var (
	errStreamNotFound     = errors.New("stream not found")
	errMaxConsumers       = errors.New("maximum consumers limit reached")
	errConsumerNameExists = errors.New("consumer name already in use")
)

// ConsumerConfig is the configuration of a consumer.
type ConsumerConfig struct {
	Durable        string
	DeliverSubject string
	MaxDeliver     int
	MaxAckPending  int
}

// StreamConfig will determine the name, subjects and limits of a stream.
type StreamConfig struct {
	Name         string
	MaxConsumers int
}

type consumerAssignment struct {
	Name    string
	Stream  string
	Config  *ConsumerConfig
	Reply   string
	Peers   []string
	pending bool
	deleted bool
}

type streamAssignment struct {
	Config    *StreamConfig
	Peers     []string
	consumers map[string]*consumerAssignment
}

type entryOp uint8

const (
	assignConsumerOp entryOp = iota
	removeConsumerOp
)

type entry struct {
	op   entryOp
	data []byte
}

// metaNode is our meta layer, committed entries come back through the apply queue.
type metaNode struct {
	mu    sync.Mutex
	queue []entry
	ready chan struct{}
	quit  chan struct{}
}

func newMetaNode() *metaNode {
	return &metaNode{ready: make(chan struct{}, 1), quit: make(chan struct{})}
}

func (n *metaNode) Propose(op entryOp, data []byte) {
	n.mu.Lock()
	n.queue = append(n.queue, entry{op, data})
	n.mu.Unlock()
	select {
	case n.ready <- struct{}{}:
	default:
	}
}

func (n *metaNode) pop() []entry {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := n.queue
	n.queue = nil
	return q
}

type jetStreamCluster struct {
	meta    *metaNode
	streams map[string]*streamAssignment
}

type jetStream struct {
	mu      sync.RWMutex
	cluster *jetStreamCluster
	nextID  atomic.Uint64
	local   map[string]*consumerAssignment
}

func newJetStream() *jetStream {
	js := &jetStream{
		cluster: &jetStreamCluster{meta: newMetaNode(), streams: make(map[string]*streamAssignment)},
		local:   make(map[string]*consumerAssignment),
	}
	go js.monitorCluster()
	return js
}

func isDurableConsumer(config *ConsumerConfig) bool { return config.Durable != "" }

func (js *jetStream) createConsumerName() string {
	return fmt.Sprintf("eph-%d", js.nextID.Add(1))
}

// Lock should be held.
func (js *jetStream) streamAssignment(stream string) *streamAssignment {
	return js.cluster.streams[stream]
}

func (js *jetStream) addStream(cfg *StreamConfig, peers []string) {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.cluster.streams[cfg.Name] = &streamAssignment{Config: cfg, Peers: peers}
}

func (js *jetStream) monitorCluster() {
	meta := js.cluster.meta
	for {
		select {
		case <-meta.quit:
			return
		case <-meta.ready:
			for _, e := range meta.pop() {
				js.applyMetaEntry(e)
			}
		}
	}
}

func (js *jetStream) applyMetaEntry(e entry) {
	var ca consumerAssignment
	if err := json.Unmarshal(e.data, &ca); err != nil {
		return
	}
	switch e.op {
	case assignConsumerOp:
		js.processConsumerAssignment(&ca)
	case removeConsumerOp:
		js.processConsumerRemoval(&ca)
	}
}

// jsClusteredConsumerRequest is called for every create request, on the Go routine of the client connection.
func (js *jetStream) jsClusteredConsumerRequest(reply, stream string, cfg *ConsumerConfig) error {
	js.mu.Lock()
	defer js.mu.Unlock()

	cc := js.cluster

	// Lookup the stream assignment.
	sa := js.streamAssignment(stream)
	if sa == nil {
		return errStreamNotFound
	}

	// Check for max consumers here to short circuit if possible.
	if maxc := sa.Config.MaxConsumers; maxc > 0 && len(sa.consumers) >= maxc {
		return errMaxConsumers
	}

	// Setup default of -1, meaning no limit for MaxDeliver.
	if cfg.MaxDeliver == 0 {
		cfg.MaxDeliver = -1
	}

	// We need to set the ephemeral here before replicating.
	var oname string
	peers := sa.Peers
	if !isDurableConsumer(cfg) {
		// We chose to have ephemerals be R=1.
		peers = peers[:1]
		// Make sure name is unique.
		for {
			oname = js.createConsumerName()
			if sa.consumers != nil {
				if sa.consumers[oname] != nil {
					continue
				}
			}
			break
		}
	} else {
		oname = cfg.Durable
		if ca := sa.consumers[oname]; ca != nil && !ca.deleted {
			// This can be ok if delivery subject update.
			if ca.pending || !configsEqualSansDelivery(*cfg, *ca.Config) {
				return errConsumerNameExists
			}
		}
	}

	ca := &consumerAssignment{Stream: stream, Name: oname, Config: cfg, Reply: reply, Peers: peers}
	eca := encodeConsumerAssignment(ca)

	// Mark this as pending if a durable.
	if isDurableConsumer(cfg) {
		if sa.consumers == nil {
			sa.consumers = make(map[string]*consumerAssignment)
		}
		ca.pending = true
		sa.consumers[ca.Name] = ca
	}

	// Do formal proposal.
	cc.meta.Propose(assignConsumerOp, eca)
	return nil
}

func (js *jetStream) jsClusteredConsumerDeleteRequest(stream, consumer string) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	sa := js.streamAssignment(stream)
	if sa == nil {
		return errStreamNotFound
	}
	oca := sa.consumers[consumer]
	if oca == nil {
		return nil
	}
	oca.deleted = true
	js.cluster.meta.Propose(removeConsumerOp, encodeConsumerAssignment(oca))
	return nil
}

func configsEqualSansDelivery(a, b ConsumerConfig) bool {
	a.DeliverSubject, b.DeliverSubject = "", ""
	return reflect.DeepEqual(a, b)
}

func encodeConsumerAssignment(ca *consumerAssignment) []byte {
	b, _ := json.Marshal(ca)
	return b
}

// processConsumerAssignment is called when followers have replicated an assignment for a consumer.
func (js *jetStream) processConsumerAssignment(ca *consumerAssignment) {
	js.mu.Lock()
	defer js.mu.Unlock()

	sa := js.streamAssignment(ca.Stream)
	if sa == nil {
		return
	}
	// Check if we have an existing consumer assignment.
	if sa.consumers == nil {
		sa.consumers = make(map[string]*consumerAssignment)
	} else if oca := sa.consumers[ca.Name]; oca != nil && !oca.pending {
		// Copy over private existing state from former CA.
		ca.deleted = oca.deleted
	}
	// Place into our internal map under the stream assignment.
	// Ok to replace an existing one, we check on process call below.
	sa.consumers[ca.Name] = ca
	js.processClusterCreateConsumer(ca)
}

// processConsumerRemoval is called when the removal of a consumer was replicated.
func (js *jetStream) processConsumerRemoval(ca *consumerAssignment) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if sa := js.streamAssignment(ca.Stream); sa != nil {
		delete(sa.consumers, ca.Name)
	}
	delete(js.local, ca.Stream+">"+ca.Name)
}

// Lock should be held.
func (js *jetStream) processClusterCreateConsumer(ca *consumerAssignment) {
	js.local[ca.Stream+">"+ca.Name] = ca
}

// consumerNames lists the consumers that were assigned.
func (js *jetStream) consumerNames(stream string) []string {
	js.mu.RLock()
	defer js.mu.RUnlock()
	sa := js.streamAssignment(stream)
	if sa == nil {
		return nil
	}
	var names []string
	for name, ca := range sa.consumers {
		if !ca.pending && !ca.deleted {
			names = append(names, name)
		}
	}
	return names
}
