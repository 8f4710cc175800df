package memberlist

import (
	"sync"
	"time"
)

// Schedule is used to ensure the Tick is performed periodically
func (m *Memberlist) schedule() {
	m.tickerLock.Lock()
	defer m.tickerLock.Unlock()

	// Create a new probeTicker
	if m.config.ProbeInterval > 0 {
		t := time.NewTicker(m.config.ProbeInterval)
		go m.triggerFunc(t.C, m.probe)
		m.tickers = append(m.tickers, t)
	}

	// Create a push pull ticker if needed
	if m.config.PushPullInterval > 0 {
		t := time.NewTicker(m.config.PushPullInterval)
		go m.triggerFunc(t.C, m.pushPull)
		m.tickers = append(m.tickers, t)
	}

	// Create a gossip ticker if needed
	if m.config.GossipNodes > 0 {
		t := time.NewTicker(m.config.GossipInterval)
		go m.triggerFunc(t.C, m.gossip)
		m.tickers = append(m.tickers, t)
	}
}

// triggerFunc is used to trigger a function call each time a
// message is received until a stop tick arrives.
func (m *Memberlist) triggerFunc(C <-chan time.Time, f func()) {
	for {
		select {
		case <-C:
			f()
		case <-m.stopTick:
			return
		}
	}
}

// Deschedule is used to stop the background maintenence
func (m *Memberlist) deschedule() {
	m.tickerLock.Lock()
	defer m.tickerLock.Unlock()

	for _, t := range m.tickers {
		t.Stop()
		m.stopTick <- struct{}{}
	}
	m.tickers = nil
}

// Probe is used to perform a single round of failure detection
func (m *Memberlist) probe() {
	// Determine the node to probe
	m.nodeLock.Lock()
	if len(m.nodes) == 0 {
		m.nodeLock.Unlock()
		return
	}
	node := m.nodes[m.probeIndex%len(m.nodes)]
	m.probeIndex++
	m.nodeLock.Unlock()

	if !m.transport.Ping(node) {
		m.removeNode(node)
	}
}

// gossip is invoked every GossipInterval period to broadcast our gossip
// messages to a few random nodes.
func (m *Memberlist) gossip() {
	var wg sync.WaitGroup
	for _, node := range kRandomNodes(m.config.GossipNodes, m.Members()) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			m.transport.Gossip(node, m.Members())
		}()
	}
	wg.Wait()
}

// pushPull is invoked periodically to randomly perform a state
// exchange. Used to ensure a high level of convergence.
func (m *Memberlist) pushPull() {
	for _, node := range kRandomNodes(1, m.Members()) {
		m.pushPullNode(node)
	}
}

func (m *Memberlist) pushPullNode(node string) error {
	remote, err := m.transport.PushPull(node, m.Members())
	if err != nil {
		return err
	}
	for _, r := range remote {
		m.aliveNode(r)
	}
	return nil
}
