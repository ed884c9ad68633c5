"""Names that are known beforehand: technologies, places, organisations, first names. A modest list of our own.

A name that is missing is still found by its shape and its place in the sentence; the list only says what it is.
"""

from __future__ import annotations

from typing import Final


def _names(text: str) -> frozenset[str]:
    """Names parted by white space; ``_`` stands for a space inside a name."""
    return frozenset(name.replace("_", " ") for name in text.split())


# Known in any spelling, since the word has no other use.
TECHNOLOGIES: Final = _names(
    """
    python javascript js typescript java kotlin golang c++ c# f# ruby php perl haskell scala clojure elixir erlang ocaml
    lua fortran cobol bash zsh powershell sql plsql html css sass wasm webassembly markdown yaml toml json xml csv
    protobuf avro parquet graphql grpc oauth oauth2 openid saml jwt tls ssl ssh dns dhcp tcp udp
    http/2 http/3 quic websocket websockets webrtc mqtt amqp smtp imap ldap kerberos
    postgres postgresql mysql mariadb sqlite mongodb redis valkey memcached cassandra scylladb dynamodb couchdb
    cockroachdb clickhouse duckdb influxdb timescaledb neo4j elasticsearch opensearch typesense meilisearch solr lucene
    snowflake bigquery redshift databricks pgvector postgis pgbouncer qdrant pinecone weaviate milvus chromadb faiss
    etcd zookeeper kafka rabbitmq nats activemq celery airflow dagster dbt sqlalchemy alembic hibernate prisma
    docker podman containerd kubernetes k8s k3s istio linkerd envoy nginx haproxy traefik caddy terraform pulumi
    ansible vagrant jenkins gitlab github bitbucket gitea git circleci argocd fluxcd teamcity buildkite
    aws gcp azure heroku vercel netlify cloudflare digitalocean fly.io s3 ec2 sqs sns rds iam cloudfront route53
    cloudwatch firebase supabase auth0 okta keycloak prometheus grafana kibana logstash datadog splunk jaeger
    opentelemetry pagerduty newrelic
    django flask fastapi starlette pydantic uvicorn gunicorn celery numpy scipy pandas polars pytorch tensorflow keras
    scikit-learn sklearn jupyter matplotlib pytest unittest mypy pylint flake8 ruff pip pipenv conda pyenv uv
    boto3 urllib3 aiohttp httpx asyncio jinja2 scrapy selenium playwright opencv onnx onnxruntime spacy nltk
    node.js nodejs deno npm pnpm yarn webpack vite esbuild eslint prettier vitest
    reactjs react.js vue vue.js vuejs angular angularjs svelte sveltekit next.js nextjs nuxt redux zustand jquery
    tailwind tailwindcss storybook electron three.js d3.js htmx rxjs express.js nestjs
    laravel symfony wordpress drupal sinatra actix tokio gradle maven bazel cmake junit
    mockito kubectl systemd linux ubuntu debian fedora centos macos ios ipados android wsl freebsd
    chromium firefox iphone ipad macbook vim neovim emacs intellij pycharm vscode xcode
    llvm gcc clang libpng openssl ffmpeg curl wget tmux nvidia cuda opengl vulkan arduino
    openai chatgpt gpt-4 claude llama ollama langchain llamaindex huggingface
    jira trello asana figma miro obsidian airtable zapier salesforce hubspot zendesk mailchimp mailgun
    sendgrid postmark twilio stripe adyen paypal braintree whatsapp youtube dropbox tableau powerbi metabase looker
    swagger openapi wireshark localstack minio rsync crontab cron iptables
    """
)

# Known only with these capitals, since the word in lower case is an everyday one.
TECHNOLOGIES_AS_WRITTEN: Final = _names(
    """
    Go Rust Swift Dart R Julia Zig Nim Crystal Elm React Express Spring Spark Flink Beam Storm Hive Presto Trino
    Consul Vault Nomad Packer Flask Bottle Pyramid Black Poetry Ray Dask Ember Backbone Next Remix Gatsby Astro
    Flutter Unity Unreal Blender Photoshop Excel Word Outlook Teams Zoom Discord Telegram Signal Linear Segment
    Loki Tempo Vector Fluentd Chef Salt Jackson Ktor Room Zed Sublime Atom Eclipse Edge Opera Arc
    Spotify Tidal Netflix Kindle Alexa Siri Tesla Lightning Bootstrap Material Stimulus Turbo Caffe Theano Jupyter Bun
    Babel Cargo Chrome Copilot Cypress Gemini Helm Insomnia Jest LaTeX Lambda Mocha Node Notion Phoenix Postman Prefect
    Puppet REST Rails Raspberry Rollup SOAP Safari Sentry Slack Tox Windows Heroku Miro Android
    Sketch Canva Buffer Intercom Amplitude Mixpanel Confluence Basecamp Fargate Athena Glue
    """
)

# Followed by a capital, these make one name of two: AWS Lambda, GitHub Actions, VS Code.
TECHNOLOGY_FAMILIES: Final = _names(
    """
    aws amazon azure google apache github gitlab stripe vs visual microsoft spring adobe apple oracle elastic
    intellij android jira red raspberry chrome
    """
)

PLACES: Final = _names(
    """
    Africa America Asia Europe Antarctica Oceania Scandinavia
    Afghanistan Albania Algeria Argentina Armenia Australia Austria Azerbaijan Bangladesh Belarus Belgium Bolivia
    Bosnia Botswana Brazil Bulgaria Cambodia Cameroon Canada Chile China Colombia Croatia Cuba Cyprus Czechia Denmark
    Ecuador Egypt England Estonia Ethiopia Finland France Georgia Germany Ghana Greece Greenland Guatemala Haiti
    Honduras Hungary Iceland India Indonesia Iran Iraq Ireland Israel Italy Jamaica Japan Kazakhstan Kenya Korea Kuwait
    Laos Latvia Lebanon Libya Lithuania Luxembourg Madagascar Malaysia Mali Malta Mexico Moldova Mongolia Montenegro
    Morocco Mozambique Myanmar Namibia Nepal Netherlands New_Zealand Nicaragua Nigeria Norway Oman Pakistan Panama
    Paraguay Peru Philippines Poland Portugal Qatar Romania Russia Rwanda Scotland Senegal Serbia Singapore Slovakia
    Slovenia Somalia South_Africa Spain Sri_Lanka Sudan Sweden Switzerland Syria Taiwan Tanzania Thailand Tunisia
    Turkey Uganda Ukraine UK USA US Uruguay Venezuela Vietnam Wales Yemen Zambia Zimbabwe Britain
    Amsterdam Athens Auckland Austin Baghdad Bangalore Bengaluru Bangkok Barcelona Basel Beijing Beirut Belfast
    Belgrade Bergen Berlin Bern Bilbao Birmingham Bogotá Bologna Bonn Bordeaux Boston Bratislava Brisbane Bristol
    Bruges Brussels Bucharest Budapest Buenos_Aires Cairo Calgary Cambridge Canberra Cape_Town Caracas Cardiff
    Casablanca Chennai Chicago Cologne Copenhagen Cork Dakar Dallas Damascus Delft Delhi Denver Detroit Dhaka Doha
    Dortmund Dresden Dubai Dublin Dundee Düsseldorf Edinburgh Eindhoven Essen Florence Frankfurt Galway Gdansk Geneva
    Genoa Ghent Glasgow Gothenburg Granada Graz Hague Hamburg Hanoi Hanover Havana Helsinki Hong_Kong Honolulu Houston
    Innsbruck Istanbul Jakarta Jerusalem Johannesburg Kabul Karachi Kraków Krakow Kuala_Lumpur Kyiv Kyoto Lagos Lahore
    Lausanne Leeds Leipzig Leuven Lille Lima Lisbon Liverpool Ljubljana London Los_Angeles Lyon Madrid Malmö
    Manchester Manhattan Manila Marseille Melbourne Miami Milan Minneapolis Montevideo Montpellier Montreal Moscow
    Mumbai Munich Nairobi Naples New_York New_York_City Nice Nuremberg Osaka Oslo Ottawa Oxford Palermo Paris Perth
    Philadelphia Phoenix Pittsburgh Porto Portland Prague Quito Rabat Reykjavik Riga Rome Rotterdam Salzburg
    San_Diego San_Francisco San_Jose Santiago São_Paulo Sarajevo Seattle Seoul Seville Shanghai Sheffield Shenzhen
    Sofia Stockholm Strasbourg Stuttgart Sydney Taipei Tallinn Tampere Tbilisi Tehran Tel_Aviv Tokyo Toronto Toulouse
    Trieste Turin Uppsala Utrecht Valencia Vancouver Venice Verona Vienna Vilnius Warsaw Washington Wellington
    Winnipeg Zagreb Zurich Zürich California Texas Florida Oregon Nevada Colorado Ohio Bavaria Tuscany Catalonia
    Brooklyn Alaska Hawaii Alps Silicon_Valley
    """
)

ORGANIZATIONS: Final = _names(
    """
    Google Microsoft Apple Amazon Meta Facebook Netflix IBM Intel AMD Nvidia Oracle SAP Siemens Bosch Philips Nokia
    Ericsson Samsung Sony Huawei Alibaba Tencent Uber Lyft Airbnb Booking Zalando Ikea Shopify Infosys Accenture
    Deloitte KPMG McKinsey Boeing Airbus Lufthansa Ryanair KLM BMW Volkswagen Daimler Toyota Honda Ford Nestlé Unilever
    Novartis Roche Pfizer Bayer BASF Shell Vodafone Orange Verizon Mozilla Anthropic DeepMind Hetzner
    Atlassian Adobe Cisco Dell HP Lenovo NASA ESA CERN MIT Harvard Stanford Yale Princeton Berkeley UNESCO UNICEF NATO
    EU UN WHO FBI NHS BBC CNN Acme Globex Initech Contoso Hooli
    """
)

# Given names of many countries, so that a name that opens a sentence is known for one.
FIRST_NAMES: Final = _names(
    """
    Aaron Abdul Abigail Adam Adrian Agnes Agnieszka Ahmad Ahmed Aiko Aino Aisha Akira Alan Albert Alejandro Alex
    Alexander Alexandra Alexei Alfred Ali Alice Alicia Alina Amanda Amara Amelia Amina Amir Amit Amy Ana Anastasia
    Anders Andrea Andreas Andrew André Angela Anika Anil Anita Anja Ann Anna Anne Annika Anthony Anton Antonio Anya
    Arjun Arthur Arturo Asha Astrid Audrey Ava Ayesha Aziz Barbara Bea Beatrice Beatriz Ben Benjamin Bernd Beth
    Betty Bianca Bill Björn Bob Boris Brandon Brian Bruce Bruno Calvin Camila Carla Carlos Carmen Carol Caroline
    Catherine Cecilia Charles Charlie Charlotte Chen Chiara Chloe Chris Christian Christina Christine Christopher
    Claire Clara Claudia Clemens Colin Connor Craig Cristina Dan Dana Daniel Daniela Darius Dave David Deb Debbie
    Deborah Deepa Dennis Derek Diana Diego Dieter Dimitri Dmitri Dominic Don Donna Dorothy Doug Douglas Ed Eduardo
    Edward Eleanor Elena Eli Elias Elif Elisa Elizabeth Ella Ellen Emil Emily Emma Eric Erica Erik Erika Esther
    Ethan Eva Evan Evelyn Ewa Fabian Farah Fatima Felix Fernando Finn Fiona Florian Frances Francesca Francis Frank
    Franz François Frederik Frida Gabriel Gabriela Gary Georg George Gerard Gina Giorgio Giovanni Giulia Gloria
    Grace Greg Gregor Greta Guillermo Gustav Hana Hannah Hans Harry Hassan Heather Heidi Helen Helena Helga Henrik
    Henry Hiroshi Howard Hugo Hussein Ian Ibrahim Ida Ines Ingrid Irene Iris Isaac Isabel Isabella Ivan Jack Jacob
    Jake Jakob James Jan Jana Jane Janet Jasmine Jason Javier Jean Jeff Jennifer Jenny Jens Jeremy Jessica Jill Jim
    Joan Joanna Joe Johan Johanna Johannes John Jon Jonas Jonathan Jorge Joseph Josh Joshua José Juan Judith Jules
    Julia Julian Julie Jürgen Kai Karen Karim Karin Karl Karolina Kate Katherine Kathrin Kathy Katie Katja Keith
    Kelly Ken Kenji Kevin Khalid Kim Kofi Konstantin Kristina Kumar Kurt Kwame Kyle Lara Larry Lars Laura Lauren
    Laurent Layla Lea Leah Lee Leila Lena Leo Leon Leonard Liam Lily Lin Linda Lisa Liu Logan Lorenzo Lotte Louis
    Louise Luca Lucas Lucia Lucy Lucía Luis Luisa Lukas Luke Madeleine Magnus Malik Manuel Marc Marcel Marco Marcus
    Marek Margaret Maria Marie Marina Mario Mark Marko Markus Marta Martha Martin Martina Mary María Mason Mateo
    Mathias Matt Matteo Matthew Maurice Max Maya Megan Mehmet Mei Melanie Mia Michael Michele Michelle Miguel Mikael
    Mike Mikhail Mila Mina Mira Miriam Mohamed Mohammed Molly Monica Monika Morgan Moritz Mustafa Nadia Nancy Naoki
    Naomi Natalia Natalie Natasha Nate Nathan Neil Nicholas Nick Nicolas Nicole Nikita Nikolai Nils Nina Noah Noor
    Nora Oleg Olga Oliver Olivia Omar Oscar Otto Owen Pablo Pamela Paola Patricia Patrick Paul Paula Paulo Pavel
    Pedro Pekka Pete Peter Petr Petra Philip Philipp Pia Pierre Piotr Pooja Priya Quentin Rachel Rafael Raj Rajesh
    Ralph Ramon Ravi Raúl Rebecca Renata René Ricardo Richard Rita Robert Roberto Robin Roger Roland Rolf Roman Ron
    Ronald Rosa Rose Rosie Roy Ruben Ruby Rudolf Ruth Ryan Sabine Sally Sam Samantha Samir Samuel Sandra Sanjay
    Sanna Sara Sarah Sasha Scott Sean Sebastian Sergei Sergio Shreya Silvia Simon Simone Sofia Sofie Sonia Sophia
    Sophie Stefan Stefanie Stella Stephanie Stephen Steve Steven Sunil Susan Susanne Sven Svetlana Sylvia Takeshi
    Tamara Tania Tanja Tara Tariq Tatiana Ted Teresa Terry Theo Theresa Thiago Thomas Tim Timo Tina Tobias Tom
    Tomasz Tomás Tony Tyler Ulrich Ursula Valentina Valerie Vanessa Vera Veronica Victor Victoria Viktor Vincent
    Virginia Vivian Vladimir Walter Wayne Wei Wendy Wilhelm William Wolfgang Xavier Yan Yara Yasmin Yolanda Yosef
    Yuki Yuri Yusuf Yvonne Zach Zainab Zara Zeynep Zoe Zoë
    """
)
