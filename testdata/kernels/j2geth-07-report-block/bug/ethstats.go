// Package ethstats reports the chain to a monitoring server.
package ethstats

import (
	"encoding/hex"
	"encoding/json"
	"log"
	"time"
)

// Service reports to a server.
type Service struct {
	node string
	bc   *BlockChain
}

// blockStats is the information to report about individual blocks.
type blockStats struct {
	Number    uint64   `json:"number"`
	Hash      string   `json:"hash"`
	GasUsed   uint64   `json:"gasUsed"`
	Diff      uint64   `json:"difficulty"`
	TotalDiff uint64   `json:"totalDifficulty"`
	Txs       []string `json:"transactions"`
}

// Start starts to report, for as long as the program runs.
func Start(node string, bc *BlockChain, out *json.Encoder) {
	s := &Service{node: node, bc: bc}
	heads := make(chan *Block, 10)
	bc.SubscribeHead(heads)
	go s.loop(heads, out)
}

// loop reports the head regularly and when it changes.
func (s *Service) loop(heads <-chan *Block, out *json.Encoder) {
	fullReport := time.NewTicker(15 * time.Second)
	for {
		var err error
		select {
		case <-fullReport.C:
			err = s.report(out)
		case <-heads:
			// Exhaust events to avoid reporting too frequently
			for exhausted := false; !exhausted; {
				select {
				case <-heads:
				default:
					exhausted = true
				}
			}
			err = s.reportBlock(out)
		}
		if err != nil {
			log.Printf("stats report failed: %v", err)
		}
	}
}

// report reports all.
func (s *Service) report(out *json.Encoder) error {
	if err := out.Encode(map[string]any{"emit": "ping", "id": s.node, "clientTime": time.Now()}); err != nil {
		return err
	}
	return s.reportBlock(out)
}

// reportBlock retrieves the current chain head and reports it to the server.
func (s *Service) reportBlock(out *json.Encoder) error {
	// Gather the head block infos from the local blockchain
	block := s.bc.CurrentBlock()
	head := s.bc.CurrentHeader()
	hash := head.Hash()

	// Assemble the block stats report and send it to the server
	stats := &blockStats{
		Number:    head.Number,
		Hash:      hex.EncodeToString(hash[:]),
		GasUsed:   head.GasUsed,
		Diff:      head.Difficulty,
		TotalDiff: s.bc.GetTd(hash),
		Txs:       block.Txs,
	}
	return out.Encode(map[string]any{"emit": "block", "id": s.node, "block": stats})
}
