package a

import "sync"

type discoveryMechanismKey struct {
	name string
}

type endpointsResolver interface {
	lastUpdate() (string, bool)
	resolveNow()
	stop()
}

type resolverMechanismTuple struct {
	dmKey discoveryMechanismKey
	r     endpointsResolver
}

type resourceResolver struct {
	newResolver   func(key discoveryMechanismKey, rr *resourceResolver) endpointsResolver
	updateChannel chan []string

	// mu protects the slice and map, and content of the resolvers in the slice.
	mu          sync.Mutex
	mechanisms  []discoveryMechanismKey
	children    []resolverMechanismTuple
	childrenMap map[discoveryMechanismKey]resolverMechanismTuple
}

func (rr *resourceResolver) updateMechanisms(mechanisms []discoveryMechanismKey) {
	rr.mu.Lock()
	defer rr.mu.Unlock()
	rr.mechanisms = mechanisms
	rr.children = make([]resolverMechanismTuple, len(mechanisms))
	for i, dm := range mechanisms {
		r, ok := rr.childrenMap[dm]
		if !ok {
			r = resolverMechanismTuple{dmKey: dm, r: rr.newResolver(dm, rr)}
			rr.childrenMap[dm] = r
		}
		rr.children[i] = r
	}
	rr.generate()
}

// resolveNow is typically called to trigger re-resolve of DNS.
func (rr *resourceResolver) resolveNow() {
	rr.mu.Lock()
	defer rr.mu.Unlock()
	for _, r := range rr.childrenMap {
		r.r.resolveNow()
	}
}

func (rr *resourceResolver) stop() {
	rr.mu.Lock()
	// Save the previous childrenMap to stop the children outside the mutex,
	// and reinitialize the map.
	cm := rr.childrenMap
	rr.childrenMap = make(map[discoveryMechanismKey]resolverMechanismTuple)
	rr.mechanisms = nil
	rr.children = nil
	rr.mu.Unlock()

	for _, r := range cm {
		r.r.stop()
	}
}

// onUpdate is called by the children from their own goroutines.
func (rr *resourceResolver) onUpdate() {
	rr.mu.Lock()
	rr.generate()
	rr.mu.Unlock()
}

// generate collects all the updates from all the resolvers, and push the
// combined result into the update channel.
//
// caller must hold rr.mu.
func (rr *resourceResolver) generate() {
	var ret []string
	for _, rDM := range rr.children {
		u, ok := rDM.r.lastUpdate()
		if !ok {
			// Don't send updates to parent until all resolvers have update to
			// send.
			return
		}
		ret = append(ret, u)
	}
	select {
	case <-rr.updateChannel:
	default:
	}
	rr.updateChannel <- ret
}
