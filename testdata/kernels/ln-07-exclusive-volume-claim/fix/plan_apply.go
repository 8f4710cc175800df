package nomad

import (
	"errors"
	"sync"
)

const (
	HostVolumeSingleNodeSingleWriter = "single-node-single-writer"
	HostVolumeMultiWriter            = "single-node-multi-writer"
)

// VolumeRequest is a volume that the group of an allocation asks for.
type VolumeRequest struct {
	Source     string
	AccessMode string
}

// Allocation is not modified after it was stored.
type Allocation struct {
	ID       string
	NodeID   string
	JobID    string
	MemoryMB int
	Terminal bool
	Volumes  []*VolumeRequest
}

// Node is a client with its dynamic host volumes.
type Node struct {
	ID          string
	MemoryMB    int
	HostVolumes map[string]struct{}
}

// StateStore holds the nodes and the allocations.
type StateStore struct {
	l      sync.RWMutex
	index  uint64
	nodes  map[string]*Node
	allocs map[string]*Allocation
}

func NewStateStore(nodes ...*Node) *StateStore {
	s := &StateStore{nodes: make(map[string]*Node), allocs: make(map[string]*Allocation)}
	for _, n := range nodes {
		s.nodes[n.ID] = n
	}
	return s
}

// Snapshot returns a point-in-time copy.
func (s *StateStore) Snapshot() *StateStore {
	s.l.RLock()
	defer s.l.RUnlock()
	c := &StateStore{index: s.index, nodes: s.nodes, allocs: make(map[string]*Allocation, len(s.allocs))}
	for id, a := range s.allocs {
		c.allocs[id] = a
	}
	return c
}

// UpsertPlanResults stores the allocations of a plan.
func (s *StateStore) UpsertPlanResults(allocs []*Allocation) uint64 {
	s.l.Lock()
	defer s.l.Unlock()
	s.index++
	for _, a := range allocs {
		s.allocs[a.ID] = a
	}
	return s.index
}

func (s *StateStore) NodeByID(id string) *Node {
	s.l.RLock()
	defer s.l.RUnlock()
	return s.nodes[id]
}

func (s *StateStore) Nodes() []*Node {
	s.l.RLock()
	defer s.l.RUnlock()
	var out []*Node
	for _, n := range s.nodes {
		out = append(out, n)
	}
	return out
}

// AllocsByNode returns the allocations that are not terminal.
func (s *StateStore) AllocsByNode(nodeID string) []*Allocation {
	s.l.RLock()
	defer s.l.RUnlock()
	var out []*Allocation
	for _, a := range s.allocs {
		if a.NodeID == nodeID && !a.Terminal {
			out = append(out, a)
		}
	}
	return out
}

// Plan is the result of a scheduler: it has to be verified, as other plans may
// have been applied since the snapshot of the scheduler was taken.
type Plan struct {
	EvalID         string
	NodeAllocation map[string][]*Allocation
}

// PlanResult tells what was committed of the plan.
type PlanResult struct {
	NodeAllocation map[string][]*Allocation
	RefreshIndex   uint64
}

type pendingPlan struct {
	plan   *Plan
	result chan *PlanResult
}

// AllocsFit checks if a given set of allocations will fit on a node. The second
// result is the dimension that does not fit.
func AllocsFit(node *Node, allocs []*Allocation) (bool, string) {
	used := 0
	hostVolumeClaims := map[string]int{}
	exclusiveHostVolumeClaims := []string{}

	// For each alloc, add the resources
	for _, alloc := range allocs {
		// Do not consider the resource impact of terminal allocations
		if alloc.Terminal {
			continue
		}
		used += alloc.MemoryMB
		for _, volReq := range alloc.Volumes {
			hostVolumeClaims[volReq.Source]++
			if volReq.AccessMode == HostVolumeSingleNodeSingleWriter {
				exclusiveHostVolumeClaims = append(exclusiveHostVolumeClaims, volReq.Source)
			}
		}
	}

	// Check that the node resources are a super set of those
	// that are being allocated
	if used > node.MemoryMB {
		return false, "memory"
	}

	for _, exclusiveClaim := range exclusiveHostVolumeClaims {
		if hostVolumeClaims[exclusiveClaim] > 1 {
			return false, "conflicting claims for host volume with single-writer"
		}
	}

	// Allocations fit!
	return true, ""
}

// planner applies the plans, one after the other.
type planner struct {
	state   *StateStore
	queueCh chan *pendingPlan
	stopCh  chan struct{}
}

func newPlanner(state *StateStore) *planner {
	p := &planner{state: state, queueCh: make(chan *pendingPlan), stopCh: make(chan struct{})}
	go p.planApply()
	return p
}

func (p *planner) submit(plan *Plan) (*PlanResult, error) {
	pending := &pendingPlan{plan: plan, result: make(chan *PlanResult, 1)}
	select {
	case p.queueCh <- pending:
		return <-pending.result, nil
	case <-p.stopCh:
		return nil, errors.New("plan queue is disabled")
	}
}

// planApply is a long lived goroutine that reads plan allocations from the
// plan queue, determines if they can be applied safely and applies them.
func (p *planner) planApply() {
	for {
		select {
		case pending := <-p.queueCh:
			result := p.evaluatePlan(pending.plan)
			var allocs []*Allocation
			for _, as := range result.NodeAllocation {
				allocs = append(allocs, as...)
			}
			if len(allocs) > 0 {
				p.state.UpsertPlanResults(allocs)
			}
			pending.result <- result
		case <-p.stopCh:
			return
		}
	}
}

// evaluatePlan is used to determine what portions of a plan can be applied if
// any. This MUST be run by the planner only.
func (p *planner) evaluatePlan(plan *Plan) *PlanResult {
	snap := p.state.Snapshot()
	result := &PlanResult{NodeAllocation: make(map[string][]*Allocation)}
	for nodeID, allocs := range plan.NodeAllocation {
		node := snap.NodeByID(nodeID)
		if node == nil {
			continue
		}
		proposed := append(snap.AllocsByNode(nodeID), allocs...)
		if fit, _ := AllocsFit(node, proposed); !fit {
			// Scheduler must refresh
			result.RefreshIndex = snap.index
			continue
		}
		result.NodeAllocation[nodeID] = allocs
	}
	return result
}

// HostVolumeChecker is a feasibility checker of the scheduler.
type HostVolumeChecker struct {
	snap *StateStore
}

func (h *HostVolumeChecker) Feasible(node *Node, reqs []*VolumeRequest) bool {
	for _, req := range reqs {
		if _, ok := node.HostVolumes[req.Source]; !ok {
			return false
		}
		if req.AccessMode != HostVolumeSingleNodeSingleWriter {
			continue
		}
		for _, a := range h.snap.AllocsByNode(node.ID) {
			for _, v := range a.Volumes {
				if v.Source == req.Source {
					return false
				}
			}
		}
	}
	return true
}

// Worker runs the scheduler for one evaluation. There are several workers, each
// a goroutine.
func (p *planner) Worker(evals <-chan *Allocation) {
	for want := range evals {
		for attempt := 0; attempt < 5; attempt++ {
			snap := p.state.Snapshot()
			checker := &HostVolumeChecker{snap: snap}
			plan := &Plan{EvalID: want.ID, NodeAllocation: make(map[string][]*Allocation)}
			for _, node := range snap.Nodes() {
				if !checker.Feasible(node, want.Volumes) {
					continue
				}
				placed := *want
				placed.NodeID = node.ID
				if fit, _ := AllocsFit(node, append(snap.AllocsByNode(node.ID), &placed)); fit {
					plan.NodeAllocation[node.ID] = []*Allocation{&placed}
					break
				}
			}
			result, err := p.submit(plan)
			if err != nil {
				return
			}
			if result.RefreshIndex == 0 {
				break
			}
		}
	}
}
