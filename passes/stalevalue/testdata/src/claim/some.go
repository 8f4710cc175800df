package claim

import "sync"

// A Ballot has a vote in each term. That a helper moves to a later term is no claim of the vote: it does so on one of its
// ways only.
type Ballot struct {
	mu    sync.Mutex
	term  int
	vote  string
	saved func(term int, vote string) error
}

func (b *Ballot) consider(term int, who string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if term > b.term {
		b.term, b.vote = term, ""
	}
	return term == b.term && (b.vote == "" || b.vote == who)
}

// Vote may vote twice in a term.
func (b *Ballot) Vote(term int, who string) bool {
	if !b.consider(term, who) {
		return false
	}
	if b.saved(term, who) != nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.vote = who // want `check-then-act: b.vote was checked at line \d+`
	return true
}

// VoteClaimed has a helper that always claims the vote if it says yes.
func (b *Ballot) VoteClaimed(term int, who string) bool {
	if !b.claimVote(term, who) {
		return false
	}
	err := b.saved(term, who)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.vote = ""
	}
	return err == nil
}

func (b *Ballot) claimVote(term int, who string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	ok := term >= b.term && b.vote == ""
	if ok {
		b.term, b.vote = term, who
	}
	return ok
}
