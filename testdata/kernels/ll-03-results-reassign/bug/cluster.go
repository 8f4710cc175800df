package server

import (
	"encoding/json"
	"errors"
	"log"
	"sync"
	"time"
)

var (
	errInsufficientResources = "insufficient resources"
	errNoPeers               = errors.New("no suitable peers for placement")
)

// RaftNode is the meta group. Propose returns at once, the entry is applied
// later on by processMetaEntry.
type RaftNode interface {
	ID() string
	Propose(data []byte) error
	Leader() bool
}

type raftGroup struct {
	Name      string   `json:"name"`
	Peers     []string `json:"peers"`
	Preferred string   `json:"preferred,omitempty"`
}

func (rg *raftGroup) setPreferred() {
	if len(rg.Peers) > 0 {
		rg.Preferred = rg.Peers[0]
	}
}

type ClientInfo struct {
	Account    string   `json:"acc"`
	Cluster    string   `json:"cluster"`
	Alternates []string `json:"alts,omitempty"`
}

type StreamConfig struct {
	Name     string `json:"name"`
	Replicas int    `json:"num_replicas"`
}

type streamAssignment struct {
	Client  *ClientInfo   `json:"client"`
	Created time.Time     `json:"created"`
	Config  *StreamConfig `json:"stream"`
	Group   *raftGroup    `json:"group"`
	Reply   string        `json:"reply"`
	// Internal
	responded bool
	err       error
}

type streamAssignmentResult struct {
	Account  string `json:"account"`
	Stream   string `json:"stream"`
	Response string `json:"error,omitempty"`
	Update   bool   `json:"is_update,omitempty"`
}

type metaEntry struct {
	Op string            `json:"op"`
	SA *streamAssignment `json:"sa"`
}

type jetStreamCluster struct {
	meta     RaftNode
	streams  map[string]map[string]*streamAssignment
	clusters map[string][]string // Peers by cluster
}

type jetStream struct {
	mu      sync.RWMutex
	cluster *jetStreamCluster
	send    func(reply, msg string)
}

func newJetStream(meta RaftNode, clusters map[string][]string, send func(reply, msg string)) *jetStream {
	return &jetStream{
		cluster: &jetStreamCluster{
			meta:     meta,
			streams:  make(map[string]map[string]*streamAssignment),
			clusters: clusters,
		},
		send: send,
	}
}

// Read lock should be held.
func (js *jetStream) streamAssignment(account, stream string) *streamAssignment {
	return js.cluster.streams[account][stream]
}

// createGroupForStream will create a group for assignment for the stream,
// in the next of the clusters. Lock should be held.
func (js *jetStream) createGroupForStream(ci *ClientInfo, cfg *StreamConfig) (*raftGroup, error) {
	cc := js.cluster
	for len(ci.Alternates) > 0 {
		next := ci.Alternates[0]
		ci.Alternates = ci.Alternates[1:]
		if peers := cc.clusters[next]; len(peers) >= cfg.Replicas {
			ci.Cluster = next
			return &raftGroup{Name: "S-" + cfg.Name, Peers: peers[:cfg.Replicas]}, nil
		}
	}
	return nil, errNoPeers
}

// Stream create request.
func (js *jetStream) jsClusteredStreamRequest(ci *ClientInfo, cfg *StreamConfig, reply string) {
	js.mu.Lock()
	defer js.mu.Unlock()
	cc := js.cluster
	if js.streamAssignment(ci.Account, cfg.Name) != nil {
		js.send(reply, "stream name already in use")
		return
	}
	peers := cc.clusters[ci.Cluster]
	if len(peers) < cfg.Replicas {
		js.send(reply, errNoPeers.Error())
		return
	}
	sa := &streamAssignment{
		Client:  ci,
		Created: time.Now(),
		Config:  cfg,
		Group:   &raftGroup{Name: "S-" + cfg.Name, Peers: peers[:cfg.Replicas]},
		Reply:   reply,
	}
	sa.Group.setPreferred()
	cc.meta.Propose(encodeAssignment("add", sa))
}

// processMetaEntry is called by the goroutine of the meta group with each
// entry that has been committed.
func (js *jetStream) processMetaEntry(buf []byte) {
	var e metaEntry
	if err := json.Unmarshal(buf, &e); err != nil {
		return
	}
	switch e.Op {
	case "add":
		js.processStreamAssignment(e.SA)
	case "delete":
		js.processStreamRemoval(e.SA)
	}
}

func (js *jetStream) processStreamAssignment(sa *streamAssignment) {
	js.mu.Lock()
	defer js.mu.Unlock()
	cc := js.cluster
	accName, stream := sa.Client.Account, sa.Config.Name
	accStreams := cc.streams[accName]
	if accStreams == nil {
		accStreams = make(map[string]*streamAssignment)
	} else if osa := accStreams[stream]; osa != nil && osa != sa {
		// Copy over private existing state from former SA.
		sa.responded = osa.responded
		sa.err = osa.err
	}
	// Update our state.
	accStreams[stream] = sa
	cc.streams[accName] = accStreams
}

func (js *jetStream) processStreamRemoval(sa *streamAssignment) {
	js.mu.Lock()
	defer js.mu.Unlock()
	delete(js.cluster.streams[sa.Client.Account], sa.Config.Name)
}

// Process assignment results. Each of the peers of the group sends one.
func (js *jetStream) processStreamAssignmentResults(msg []byte) {
	var result streamAssignmentResult
	if err := json.Unmarshal(msg, &result); err != nil {
		return
	}

	js.mu.Lock()
	defer js.mu.Unlock()

	cc := js.cluster
	if cc == nil || cc.meta == nil || !cc.meta.Leader() {
		return
	}

	if sa := js.streamAssignment(result.Account, result.Stream); sa != nil {
		canDelete := !result.Update && time.Since(sa.Created) < 5*time.Second

		// See if we should retry in case this cluster is full but there are others.
		if cfg, ci := sa.Config, sa.Client; cfg != nil && ci != nil && result.Response == errInsufficientResources && canDelete {
			// If we have additional clusters to try we can retry.
			if len(ci.Alternates) > 0 {
				if rg, err := js.createGroupForStream(ci, cfg); err != nil {
					log.Printf("Retrying cluster placement for stream '%s > %s' failed due to placement error: %+v", result.Account, result.Stream, err)
				} else {
					log.Printf("Retrying cluster placement for stream '%s > %s' due to insufficient resources", result.Account, result.Stream)
					// Pick a new preferred leader.
					rg.setPreferred()
					// Get rid of previous attempt.
					cc.meta.Propose(encodeAssignment("delete", sa))
					// Propose new.
					sa.Group, sa.err = rg, nil
					cc.meta.Propose(encodeAssignment("add", sa))
					return
				}
			}
		}

		// Respond to the user here.
		if !sa.responded || result.Update {
			sa.responded = true
			js.send(sa.Reply, result.Response)
		}
		// Remove this assignment if possible.
		if canDelete && result.Response != "" {
			sa.err = errors.New("not assigned")
			cc.meta.Propose(encodeAssignment("delete", sa))
		}
	}
}

func encodeAssignment(op string, sa *streamAssignment) []byte {
	b, _ := json.Marshal(&metaEntry{Op: op, SA: sa})
	return b
}
