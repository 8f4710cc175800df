package sarif

// The parts of SARIF 2.1.0 that the log has.
type (
	log struct {
		Version string `json:"version"`
		Schema  string `json:"$schema"`
		Runs    []run  `json:"runs"`
	}
	run struct {
		Tool       tool     `json:"tool"`
		ColumnKind string   `json:"columnKind"`
		Results    []result `json:"results"`
	}
	tool struct {
		Driver driver `json:"driver"`
	}
	driver struct {
		Name           string `json:"name"`
		Version        string `json:"version,omitempty"`
		InformationURI string `json:"informationUri"`
		Rules          []rule `json:"rules"`
	}
	rule struct {
		ID               string     `json:"id"`
		ShortDescription text       `json:"shortDescription"`
		FullDescription  text       `json:"fullDescription"`
		Help             text       `json:"help"`
		HelpURI          string     `json:"helpUri,omitempty"`
		Properties       properties `json:"properties"`
	}
	properties struct {
		Tags      []string `json:"tags"`
		Precision string   `json:"precision,omitempty"`
	}
	text struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	result struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             text              `json:"message"`
		Locations           []location        `json:"locations"`
		RelatedLocations    []location        `json:"relatedLocations,omitempty"`
		CodeFlows           []codeFlow        `json:"codeFlows,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
	}
	location struct {
		ID       *int              `json:"id,omitempty"`
		Physical physicalLocation  `json:"physicalLocation"`
		Logical  []logicalLocation `json:"logicalLocations,omitempty"`
		Message  *text             `json:"message,omitempty"`
	}
	physicalLocation struct {
		Artifact artifact `json:"artifactLocation"`
		Region   *region  `json:"region,omitempty"`
	}
	artifact struct {
		URI string `json:"uri"`
	}
	region struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	logicalLocation struct {
		Name      string `json:"name"`
		Qualified string `json:"fullyQualifiedName"`
		Kind      string `json:"kind"`
	}
	codeFlow struct {
		Message     *text        `json:"message,omitempty"`
		ThreadFlows []threadFlow `json:"threadFlows"`
	}
	threadFlow struct {
		ID        string               `json:"id"`
		Message   text                 `json:"message"`
		Locations []threadFlowLocation `json:"locations"`
	}
	threadFlowLocation struct {
		Location       location              `json:"location"`
		ExecutionOrder int                   `json:"executionOrder"`
		State          map[string]stateValue `json:"state,omitempty"`
	}
	stateValue struct {
		Text string `json:"text"`
	}
)
