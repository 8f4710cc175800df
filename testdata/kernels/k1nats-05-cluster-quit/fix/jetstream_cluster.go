package server

import (
	"log"
	"sort"
	"time"
)

const compactInterval = 2 * time.Minute

// setupMetaGroup is called before the jetStream is shared.
func (js *jetStream) setupMetaGroup(snap Snapshotter) {
	cc := &jetStreamCluster{
		streams: make(map[string]*stream),
		snap:    snap,
		aq:      make(chan string, 64),
		qch:     make(chan struct{}),
		stopped: make(chan struct{}),
	}
	js.cluster = cc
	js.grWG.Add(1)
	go js.monitorCluster(cc.qch, cc.stopped)
}

// Assign assigns a stream to this server.
func (js *jetStream) Assign(name string) { js.cluster.aq <- name }

// Publish gives a message to a stream of this server.
func (js *jetStream) Publish(name string, msg []byte) bool {
	js.mu.RLock()
	mset := js.cluster.streams[name]
	js.mu.RUnlock()
	if mset == nil {
		return false
	}
	select {
	case mset.msgs <- msg:
		return true
	case <-mset.stop:
		return false
	}
}

// Return the cluster quit chan.
func (js *jetStream) clusterQuitC() chan struct{} {
	js.mu.RLock()
	defer js.mu.RUnlock()
	return js.cluster.qch
}

// metaSnapshot returns the names of our streams.
func (js *jetStream) metaSnapshot() []string {
	js.mu.RLock()
	defer js.mu.RUnlock()
	names := make([]string, 0, len(js.cluster.streams))
	for name := range js.cluster.streams {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (js *jetStream) monitorCluster(qch, stopped chan struct{}) {
	defer js.grWG.Done()
	defer close(stopped)
	cc := js.cluster

	doSnapshot := func() {
		if err := cc.snap.InstallSnapshot(js.metaSnapshot()); err != nil {
			log.Printf("Error snapshotting JetStream cluster state: %v", err)
		}
	}
	t := time.NewTicker(compactInterval)
	defer t.Stop()

	for {
		select {
		case <-qch:
			// Clean signal from shutdown routine so do best effort attempt to snapshot meta layer.
			doSnapshot()
			return
		case name := <-cc.aq:
			js.processStreamAssignment(name)
		case <-t.C:
			doSnapshot()
		}
	}
}

// processStreamAssignment starts a stream.
func (js *jetStream) processStreamAssignment(name string) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if js.cluster.qch == nil || js.cluster.streams[name] != nil {
		return
	}
	mset := &stream{name: name, msgs: make(chan []byte, 64), stop: make(chan struct{})}
	js.cluster.streams[name] = mset
	js.grWG.Add(1)
	go js.monitorStream(mset)
}

func (js *jetStream) monitorStream(mset *stream) {
	defer js.grWG.Done()

	qch := js.clusterQuitC()
	if qch == nil {
		return
	}
	for {
		select {
		case <-qch:
			return
		case <-mset.stop:
			return
		case msg := <-mset.msgs:
			js.apply(mset.name, msg)
		}
	}
}
