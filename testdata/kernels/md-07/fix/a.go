package a

import (
	"errors"
	"sync"
)

var (
	errStreamNotFound = errors.New("stream not found")
	errMaxAckPending  = errors.New("consumer max ack pending exceeds stream limit")
	errInflight       = errors.New("stream update already in flight")
)

type StreamConfig struct {
	Name          string
	MaxAckPending int
}

type ConsumerConfig struct {
	Name          string
	MaxAckPending int
}

type streamAssignment struct {
	Config    *StreamConfig
	consumers map[string]ConsumerConfig
}

type metaEntry struct {
	account  string
	stream   *StreamConfig
	remove   string
	consumer *ConsumerConfig
	of       string
}

// metaLog is the replicated log; a proposed entry comes back on Applied after
// a quorum accepted it, in the order of the proposals.
type metaLog interface {
	Propose(e metaEntry) error
	Applied() <-chan metaEntry
}

type inflightStream struct {
	cfg     *StreamConfig
	deleted bool
}

type jetStream struct {
	mu              sync.RWMutex
	meta            metaLog
	streams         map[string]map[string]*streamAssignment
	inflightStreams map[string]map[string]*inflightStream
}

func NewJetStream(meta metaLog) *jetStream {
	js := &jetStream{
		meta:            meta,
		streams:         make(map[string]map[string]*streamAssignment),
		inflightStreams: make(map[string]map[string]*inflightStream),
	}
	go js.monitorCluster()
	return js
}

// clusterStreamConfig returns the stream config as registered in the meta layer.
// Lock should be held.
func (js *jetStream) clusterStreamConfig(account, stream string) (StreamConfig, bool) {
	if in := js.inflightStreams[account][stream]; in != nil {
		if in.deleted {
			return StreamConfig{}, false
		}
		return *in.cfg, true
	}
	if sa, ok := js.streams[account][stream]; ok {
		return *sa.Config, true
	}
	return StreamConfig{}, false
}

func (js *jetStream) UpdateStream(account string, cfg StreamConfig) error {
	return js.proposeStream(account, cfg.Name, &inflightStream{cfg: &cfg}, metaEntry{account: account, stream: &cfg})
}

func (js *jetStream) DeleteStream(account, stream string) error {
	return js.proposeStream(account, stream, &inflightStream{deleted: true}, metaEntry{account: account, remove: stream})
}

func (js *jetStream) proposeStream(account, stream string, in *inflightStream, e metaEntry) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	if js.inflightStreams[account][stream] != nil {
		return errInflight
	}
	if err := js.meta.Propose(e); err != nil {
		return err
	}
	if js.inflightStreams[account] == nil {
		js.inflightStreams[account] = make(map[string]*inflightStream)
	}
	js.inflightStreams[account][stream] = in
	return nil
}

// CreateConsumer checks the consumer against its stream and proposes it.
func (js *jetStream) CreateConsumer(account, stream string, cfg ConsumerConfig) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	streamCfg, ok := js.clusterStreamConfig(account, stream)
	if !ok {
		return errStreamNotFound
	}
	if streamCfg.MaxAckPending > 0 && cfg.MaxAckPending > streamCfg.MaxAckPending {
		return errMaxAckPending
	}
	return js.meta.Propose(metaEntry{account: account, consumer: &cfg, of: stream})
}

func (js *jetStream) monitorCluster() {
	for e := range js.meta.Applied() {
		js.mu.Lock()
		switch {
		case e.stream != nil:
			if js.streams[e.account] == nil {
				js.streams[e.account] = make(map[string]*streamAssignment)
			}
			sa := js.streams[e.account][e.stream.Name]
			if sa == nil {
				sa = &streamAssignment{consumers: make(map[string]ConsumerConfig)}
				js.streams[e.account][e.stream.Name] = sa
			}
			sa.Config = e.stream
			delete(js.inflightStreams[e.account], e.stream.Name)
		case e.consumer != nil:
			if sa := js.streams[e.account][e.of]; sa != nil {
				sa.consumers[e.consumer.Name] = *e.consumer
			}
		default:
			delete(js.streams[e.account], e.remove)
			delete(js.inflightStreams[e.account], e.remove)
		}
		js.mu.Unlock()
	}
}
