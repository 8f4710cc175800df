package etcdserver

// Entry is an entry of the raft log.
type Entry struct {
	Index, Remove uint64 // Remove is the member to remove, or 0
	Data          string
}

// Message is for another member.
type Message struct{ To uint64 }

// Ready is what the raft state machine wants to be done.
type Ready struct {
	Leader                    bool
	Entries, CommittedEntries []Entry
	Messages                  []Message
}

// Node is the raft state machine, Storage its log, Transport the network and KV
// the data.
type (
	Node    interface{ Ready() <-chan Ready }
	Storage interface {
		Save([]Entry) error
		Snapshot(index uint64)
	}
	Transport interface{ Send([]Message) }
	KV        interface{ Apply(Entry) }
)

// apply is a batch of committed entries. raftDone gets a value when the raft
// loop has saved the entries of the same Ready.
type apply struct {
	entries  []Entry
	raftDone <-chan struct{}
}

type raftNode struct {
	Node
	storage   Storage
	transport Transport
	applyc    chan apply
	stopped   chan struct{}
}

// start runs the raft loop in a new goroutine.
func (r *raftNode) start() {
	go func() {
		for {
			select {
			case rd := <-r.Ready():
				raftDone := make(chan struct{}, 1)
				ap := apply{entries: rd.CommittedEntries, raftDone: raftDone}
				select {
				case r.applyc <- ap:
				case <-r.stopped:
					return
				}

				if rd.Leader {
					r.transport.Send(rd.Messages)
				}
				if err := r.storage.Save(rd.Entries); err != nil {
					panic(err)
				}
				raftDone <- struct{}{}

				if !rd.Leader {
					// A follower must apply configuration changes before it
					// sends its votes, which may decide its own election.
					waitApply := false
					for _, ent := range rd.CommittedEntries {
						waitApply = waitApply || ent.Remove != 0
					}
					if waitApply {
						// Blocks until applyAll has taken the first value,
						// which it does after the entries are applied.
						select {
						case raftDone <- struct{}{}:
						case <-r.stopped:
							return
						}
					}
					r.transport.Send(rd.Messages)
				}
			case <-r.stopped:
				return
			}
		}
	}()
}
