package consul

import (
	"context"
	"sync"
	"time"
)

// API is the part of the agent that is used.
type API interface {
	ServiceNames(ctx context.Context, index int64) ([]string, int64, error)
	Nodes(ctx context.Context, service string) ([]string, error)
}

// consulWatcher is a watcher for consul api, updates targets in background with blocking requests.
type consulWatcher struct {
	api    API
	ctx    context.Context
	cancel context.CancelFunc

	servicesLock sync.Mutex
	services     map[string]*serviceWatcher

	stoppedCh chan struct{}
}

type serviceWatcher struct {
	serviceName string

	mu    sync.Mutex
	nodes []string

	stoppedCh     chan struct{}
	requestCtx    context.Context
	requestCancel context.CancelFunc
}

func newConsulWatcher(api API) *consulWatcher {
	ctx, cancel := context.WithCancel(context.Background())
	cw := &consulWatcher{
		api:       api,
		ctx:       ctx,
		cancel:    cancel,
		services:  make(map[string]*serviceWatcher),
		stoppedCh: make(chan struct{}),
	}
	initCh := make(chan struct{})
	go func() {
		cw.watchForServicesUpdates(initCh)
		close(cw.stoppedCh)
	}()
	// wait for initialization to complete
	<-initCh
	return cw
}

func (cw *consulWatcher) mustStop() {
	cw.cancel()
	<-cw.stoppedCh
}

// getNodes is called by the discovery at any time.
func (cw *consulWatcher) getNodes() []string {
	cw.servicesLock.Lock()
	sws := make([]*serviceWatcher, 0, len(cw.services))
	for _, sw := range cw.services {
		sws = append(sws, sw)
	}
	cw.servicesLock.Unlock()

	var nodes []string
	for _, sw := range sws {
		sw.mu.Lock()
		nodes = append(nodes, sw.nodes...)
		sw.mu.Unlock()
	}
	return nodes
}

func (cw *consulWatcher) updateServices(serviceNames []string) {
	var initWG sync.WaitGroup

	// Start watchers for new services.
	cw.servicesLock.Lock()
	for _, serviceName := range serviceNames {
		if _, ok := cw.services[serviceName]; ok {
			// The watcher for serviceName already exists.
			continue
		}
		ctx, cancel := context.WithCancel(cw.ctx)
		sw := &serviceWatcher{
			serviceName:   serviceName,
			stoppedCh:     make(chan struct{}),
			requestCtx:    ctx,
			requestCancel: cancel,
		}
		cw.services[serviceName] = sw
		initWG.Add(1)
		go func() {
			sw.watchForServiceNodesUpdates(cw, &initWG)
			close(sw.stoppedCh)
		}()
	}

	// Stop watchers for removed services.
	newServiceNamesMap := make(map[string]struct{}, len(serviceNames))
	for _, serviceName := range serviceNames {
		newServiceNamesMap[serviceName] = struct{}{}
	}
	var swsStopped []*serviceWatcher
	for serviceName, sw := range cw.services {
		if _, ok := newServiceNamesMap[serviceName]; ok {
			continue
		}
		sw.requestCancel()
		delete(cw.services, serviceName)
		swsStopped = append(swsStopped, sw)
	}
	cw.servicesLock.Unlock()

	// Wait until deleted service watchers are stopped.
	for _, sw := range swsStopped {
		<-sw.stoppedCh
	}

	// Wait until added service watchers are initialized.
	initWG.Wait()
}

// watchForServicesUpdates closes the initCh once the first discovery iteration is done.
func (cw *consulWatcher) watchForServicesUpdates(initCh chan struct{}) {
	index := int64(0)
	f := func() {
		serviceNames, newIndex, err := cw.api.ServiceNames(cw.ctx, index)
		if err != nil || index == newIndex {
			return
		}
		cw.updateServices(serviceNames)
		index = newIndex
	}
	f()
	close(initCh)

	ticker := time.NewTicker(15 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			f()
		case <-cw.ctx.Done():
			cw.servicesLock.Lock()
			sws := make([]*serviceWatcher, 0, len(cw.services))
			for _, sw := range cw.services {
				sws = append(sws, sw)
			}
			cw.servicesLock.Unlock()
			for _, sw := range sws {
				<-sw.stoppedCh
			}
			return
		}
	}
}

func (sw *serviceWatcher) watchForServiceNodesUpdates(cw *consulWatcher, initWG *sync.WaitGroup) {
	f := func() {
		nodes, err := cw.api.Nodes(sw.requestCtx, sw.serviceName)
		if err != nil {
			return
		}
		sw.mu.Lock()
		sw.nodes = nodes
		sw.mu.Unlock()
	}
	f()
	initWG.Done()

	ticker := time.NewTicker(15 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			f()
		case <-sw.requestCtx.Done():
			return
		}
	}
}
