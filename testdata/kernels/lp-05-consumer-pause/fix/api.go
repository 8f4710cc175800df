package server

import (
	"errors"
	"maps"
	"sync"
	"time"
)

var (
	errNoStream   = errors.New("stream not found")
	errNoConsumer = errors.New("consumer not found")
	errExists     = errors.New("consumer already exists")
)

// ConsumerConfig is immutable once it is in an assignment.
type ConsumerConfig struct {
	Description string
	AckWait     time.Duration
	PauseUntil  *time.Time
	Metadata    map[string]string
}

type consumerAssignment struct {
	Account string
	Stream  string
	Name    string
	Config  *ConsumerConfig
}

func (ca *consumerAssignment) clone() *consumerAssignment {
	nca := *ca
	ncfg := *ca.Config
	ncfg.Metadata = maps.Clone(ncfg.Metadata)
	nca.Config = &ncfg
	return &nca
}

type streamAssignment struct {
	Name      string
	consumers map[string]*consumerAssignment
}

// RaftNode replicates proposals, they come back through the apply queue. Propose
// does not wait for that.
type RaftNode interface {
	Propose(ca *consumerAssignment) error
	ApplyQ() <-chan *consumerAssignment
}

type inflightConsumerInfo struct {
	ops                uint64
	consumerAssignment *consumerAssignment
}

type jetStreamCluster struct {
	meta              RaftNode
	streams           map[string]map[string]*streamAssignment
	inflightConsumers map[string]*inflightConsumerInfo
}

type jetStream struct {
	mu      sync.RWMutex
	cluster *jetStreamCluster
}

// New attaches to the meta group.
func New(meta RaftNode) *jetStream {
	return &jetStream{cluster: &jetStreamCluster{
		meta:              meta,
		streams:           make(map[string]map[string]*streamAssignment),
		inflightConsumers: make(map[string]*inflightConsumerInfo),
	}}
}

// Start begins to apply what the meta group agrees on.
func (js *jetStream) Start() { go js.monitorCluster() }

// AddStream is called when the stream has been assigned.
func (js *jetStream) AddStream(acc, stream string) {
	js.mu.Lock()
	defer js.mu.Unlock()
	streams := js.cluster.streams[acc]
	if streams == nil {
		streams = make(map[string]*streamAssignment)
		js.cluster.streams[acc] = streams
	}
	if streams[stream] == nil {
		streams[stream] = &streamAssignment{Name: stream}
	}
}

func key(acc, stream, consumer string) string { return acc + "/" + stream + "/" + consumer }

// Lock should be held.
func (cc *jetStreamCluster) trackInflightConsumerProposal(ca *consumerAssignment) {
	k := key(ca.Account, ca.Stream, ca.Name)
	if inflight, ok := cc.inflightConsumers[k]; ok {
		inflight.ops++
		inflight.consumerAssignment = ca
	} else {
		cc.inflightConsumers[k] = &inflightConsumerInfo{1, ca}
	}
}

// Lock should be held.
func (cc *jetStreamCluster) removeInflightConsumerProposal(ca *consumerAssignment) {
	k := key(ca.Account, ca.Stream, ca.Name)
	if inflight, ok := cc.inflightConsumers[k]; !ok {
		return
	} else if inflight.ops > 1 {
		inflight.ops--
	} else {
		delete(cc.inflightConsumers, k)
	}
}

// Lock should be held.
func (js *jetStream) consumerAssignmentOrInflight(acc, stream, consumer string) *consumerAssignment {
	cc := js.cluster
	if inflight, ok := cc.inflightConsumers[key(acc, stream, consumer)]; ok {
		return inflight.consumerAssignment
	}
	if sa := cc.streams[acc][stream]; sa != nil {
		return sa.consumers[consumer]
	}
	return nil
}

// jsConsumerPauseRequest pauses or resumes a consumer.
func (js *jetStream) jsConsumerPauseRequest(acc, stream, consumer string, until time.Time) error {
	cc := js.cluster
	js.mu.Lock()
	sa := cc.streams[acc][stream]
	if sa == nil {
		js.mu.Unlock()
		return errNoStream
	}
	ca := js.consumerAssignmentOrInflight(acc, stream, consumer)
	if ca == nil {
		js.mu.Unlock()
		return errNoConsumer
	}
	nca := ca.clone()
	meta := cc.meta

	pauseUTC := until.UTC()
	if !pauseUTC.IsZero() {
		nca.Config.PauseUntil = &pauseUTC
	} else {
		nca.Config.PauseUntil = nil
	}
	setStaticConsumerMetadata(nca.Config)

	if err := meta.Propose(nca); err != nil {
		js.mu.Unlock()
		return err
	}
	cc.trackInflightConsumerProposal(nca)
	js.mu.Unlock()
	return nil
}

func setStaticConsumerMetadata(cfg *ConsumerConfig) {
	if cfg.Metadata == nil {
		cfg.Metadata = make(map[string]string)
	}
	if cfg.PauseUntil != nil {
		cfg.Metadata["_nats.req.level"] = "1"
	} else {
		cfg.Metadata["_nats.req.level"] = "0"
	}
}

// jsClusteredConsumerRequest creates a consumer, or updates the config of an existing one.
func (js *jetStream) jsClusteredConsumerRequest(acc, stream, name string, update bool, apply func(*ConsumerConfig)) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	cc := js.cluster
	if cc.streams[acc][stream] == nil {
		return errNoStream
	}
	ca := js.consumerAssignmentOrInflight(acc, stream, name)
	if ca != nil && !update {
		return errExists
	}
	if ca == nil {
		ca = &consumerAssignment{Account: acc, Stream: stream, Name: name, Config: &ConsumerConfig{}}
	} else {
		ca = ca.clone()
	}
	apply(ca.Config)
	setStaticConsumerMetadata(ca.Config)

	if err := cc.meta.Propose(ca); err != nil {
		return err
	}
	cc.trackInflightConsumerProposal(ca)
	return nil
}

func (js *jetStream) monitorCluster() {
	for ca := range js.cluster.meta.ApplyQ() {
		js.processConsumerAssignment(ca)
	}
}

func (js *jetStream) processConsumerAssignment(ca *consumerAssignment) {
	js.mu.Lock()
	defer js.mu.Unlock()
	cc := js.cluster
	cc.removeInflightConsumerProposal(ca)
	sa := cc.streams[ca.Account][ca.Stream]
	if sa == nil {
		return
	}
	if sa.consumers == nil {
		sa.consumers = make(map[string]*consumerAssignment)
	}
	sa.consumers[ca.Name] = ca
}
